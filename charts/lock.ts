import { z } from "zod";
import type { ChartEntry } from "../catalog/charts";

/** Name of the file beside Pulumi.yaml that says which bytes each chart has. The user commits it. */
export const LOCK_FILE = "charts.lock.json";

const lock = z.strictObject({
  /** Of this file: a program that knows another one refuses it. */
  format: z.literal(1),
  /** By catalogue name. */
  charts: z.record(
    z.string(),
    z.strictObject({
      version: z.string(),
      repository: z.string(),
      /** SHA-256 of the archive, hexadecimal. */
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type ChartLock = z.output<typeof lock>;

export const EMPTY_LOCK: ChartLock = { format: 1, charts: {} };

/** What keeps a text from being such a file; the lock when it is one. */
export function parseLock(text: string): ChartLock | { readonly problem: string } {
  try {
    const parsed = lock.safeParse(JSON.parse(text));
    const [issue] = parsed.error?.issues ?? [];
    return parsed.success ? parsed.data : { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { problem: "it is no JSON" };
  }
}

/** The digest that a lock has for the pinned version of a chart; undefined where it has none. */
export function lockedDigest({ charts }: ChartLock, { name, version, repository }: ChartEntry): string | undefined {
  const row = Object.hasOwn(charts, name) ? charts[name] : undefined;
  return row?.version === version && row.repository === repository ? row.sha256 : undefined;
}

/** A lock with the digest of a chart, in the place of one of another version. */
export function withDigest(
  { charts, ...rest }: ChartLock,
  { name, version, repository }: ChartEntry,
  sha256: string,
): ChartLock {
  return { ...rest, charts: { ...charts, [name]: { version, repository, sha256 } } };
}

/** The file's text: the same for the same digests, in whatever order they came. */
export function lockText({ charts, ...rest }: ChartLock): string {
  const sorted = Object.fromEntries(Object.entries(charts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ ...rest, charts: sorted }, undefined, 2)}\n`;
}
