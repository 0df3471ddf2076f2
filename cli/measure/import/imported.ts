import type { MeasuredFigure, MeasuredLoad } from "../../../planner/speed/measurement";

export interface Imported {
  /** Tool, with version if stated. */
  readonly by: string;
  /** UTC, to the second, if stated. */
  readonly measuredAt?: string;
  readonly loads: readonly MeasuredLoad[];
  /** Why parts are ignored. */
  readonly notes: readonly string[];
}

/** An unknown or incomplete file. One line per problem. */
export class NotImported extends Error {}

/** Distribution of a tool's times; undefined if not measured. */
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

/** Average concurrency by Little's law: the load of fixed streams and random arrivals alike. */
export function meanInFlight(requestsPerSecond: number, e2eMs: number): number {
  return Math.max(1, Math.round((requestsPerSecond * e2eMs) / 1000));
}
