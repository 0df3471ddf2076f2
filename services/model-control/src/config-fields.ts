/** Value types shared by the configurations of the API and the relay. */
import { z } from "zod";

export const port = z.int().min(1).max(65_535);

const LONGEST_SECONDS = 7 * 24 * 3600;

export const seconds = z.number().positive().max(LONGEST_SECONDS);

const IDLE_TIMES = `seconds, at most ${LONGEST_SECONDS}, or "never"`;

/** Seconds without use, or `never`. */
export const idleTime = z.union(
  [z.number().positive(IDLE_TIMES).max(LONGEST_SECONDS, IDLE_TIMES), z.literal("never")],
  { error: IDLE_TIMES },
);

export const httpUrl = z
  .url({ protocol: /^https?$/, error: "an http or https address such as http://127.0.0.1:11434" })
  .refine((url) => !hasCredentials(url), "an address without a name and password in it");

export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) {
    return false;
  }
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}
