import { z } from "zod";
import type { ChartEntry } from "../catalog/charts";

/** Committed file next to Pulumi.yaml with the digest of each chart. */
export const LOCK_FILE = "charts.lock.json";

const lock = z.strictObject({
  /** File format version; others are refused. */
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

/** Parsed lock, or its problem. */
export function parseLock(text: string): ChartLock | { readonly problem: string } {
  try {
    const parsed = lock.safeParse(JSON.parse(text));
    const [issue] = parsed.error?.issues ?? [];
    return parsed.success ? parsed.data : { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { problem: "it is no JSON" };
  }
}

/** Digest of a chart's pinned version; undefined if absent. */
export function lockedDigest({ charts }: ChartLock, { name, version, repository }: ChartEntry): string | undefined {
  const row = Object.hasOwn(charts, name) ? charts[name] : undefined;
  return row?.version === version && row.repository === repository ? row.sha256 : undefined;
}

/** Lock with a chart's digest, replacing other versions. */
export function withDigest(
  { charts, ...rest }: ChartLock,
  { name, version, repository }: ChartEntry,
  sha256: string,
): ChartLock {
  return { ...rest, charts: { ...charts, [name]: { version, repository, sha256 } } };
}

/** Deterministic file content. */
export function lockText({ charts, ...rest }: ChartLock): string {
  const sorted = Object.fromEntries(Object.entries(charts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ ...rest, charts: sorted }, undefined, 2)}\n`;
}
