/** What an import takes from a result of another tool. */
import type { MeasuredFigure, MeasuredLoad } from "../../../planner/speed/measurement";

export interface Imported {
  /** Tool, and its version where it says so. */
  readonly by: string;
  /** UTC, to the second, where the tool says so. */
  readonly measuredAt?: string;
  readonly loads: readonly MeasuredLoad[];
  /** Why parts of it are not taken. */
  readonly notes: readonly string[];
}

/** A file is of no tool that is known, or lacks what is needed. One line for each problem. */
export class NotImported extends Error {}

/** Times of a tool, as their distribution; undefined for what it did not measure. */
export function figureOf(values: {
  readonly median?: number | null | undefined;
  readonly mean?: number | null | undefined;
  readonly p99?: number | null | undefined;
}): MeasuredFigure | undefined {
  const median = positive(values.median) ?? positive(values.mean);
  if (median === undefined) {
    return undefined;
  }
  const mean = positive(values.mean);
  const p99 = positive(values.p99);
  return { median, ...(mean !== undefined && { mean }), ...(p99 !== undefined && { p99 }) };
}

function positive(value: number | null | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

/**
 * Requests in flight on average, by Little's law: as many as come while one is answered. Whatever drew them, fixed streams or
 * random arrivals, that is the load which the engine bore.
 */
export function meanInFlight(requestsPerSecond: number, e2eMs: number): number {
  return Math.max(1, Math.round((requestsPerSecond * e2eMs) / 1000));
}
