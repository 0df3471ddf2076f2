import { z } from "zod";
import { visible } from "../../names/visible";
import { lineOf } from "../io";

/** Prometheus, or what was asked besides, gave no figures. Its message says what to look at. */
export class NotAnswered extends Error {}

const vector = z.object({
  status: z.literal("success"),
  data: z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What instant queries are asked of. */
export interface Queries {
  /** @throws NotAnswered */
  query(expr: string): Promise<Sample[]>;
}

const ANSWER_MS = 60_000;

export class Prometheus implements Queries {
  constructor(private readonly base: string) {}

  async query(expr: string): Promise<Sample[]> {
    const body = await askJson(`${this.base}/api/v1/query?${new URLSearchParams({ query: expr })}`, "Prometheus");
    const parsed = vector.safeParse(body);
    if (!parsed.success) {
      throw new NotAnswered(`${this.base} does not answer as Prometheus does: check the address after --prometheus`);
    }
    return parsed.data.data.result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text) }));
  }
}

/** @throws NotAnswered */
export async function askJson(url: string, server: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await response.text();
    if (!response.ok) {
      throw new NotAnswered(
        `${server} at ${new URL(url).origin} answered ${response.status}: ${visible(text.slice(0, 200))}`,
      );
    }
    return JSON.parse(text);
  } catch (error) {
    throw error instanceof NotAnswered
      ? error
      : new NotAnswered(
          `${server} at ${new URL(url).origin}: ${visible(reason(error))}. Check the port-forward and the pod's log.`,
        );
  }
}

/** `fetch` says why in its cause alone. */
function reason(error: unknown): string {
  return lineOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
