/** How far a prediction can be off: factors that the measured value lies between, from groups that no fit has seen. */
import table from "./margins.json";
import type { ReplicaSetup } from "./types";

/** What is asked. */
export type SpeedQuestion =
  | "tpot"
  /** Time to the first token as published benchmarks have it: clients and their tokenizers included. */
  | "ttft"
  /** The same of the engine itself. */
  | "firstToken"
  | "prefill"
  | "decode"
  | "tokensPerSecond"
  | "requestsAtLevel";

/** What a prediction rests on, the best first. */
export type SpeedBasis = "own" | "same-card-and-engine" | "same-card" | "unseen-card";

/** What the error depends on. */
export type ModelKind = "dense" | "moe";

/** Quantiles of measured over predicted, from 0.01 to 0.99. */
export interface MarginRow {
  readonly question: SpeedQuestion;
  readonly kind: ModelKind;
  /** Rows of held-out groups behind it. */
  readonly rows: number;
  /** Natural logarithms of measured over predicted at `quantiles` of the table. */
  readonly logRatios: readonly number[];
}

export interface MarginTable {
  readonly quantiles: readonly number[];
  readonly rows: readonly MarginRow[];
  /** Cards that the constants were fitted to, by their names in the catalogue, and with which engines. */
  readonly measured: readonly { readonly card: string; readonly engines: readonly string[] }[];
  /** Factors on the logarithms by what a prediction rests on. */
  readonly widening: Readonly<Record<SpeedBasis, number>>;
}

export const ownMargins: MarginTable = table as MarginTable;

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** An expected figure with the range that holds it at the asked confidence. */
export interface Interval extends Band {
  readonly expected: number;
}

/**
 * Factors on a prediction between which the measured value lies with probability `confidence` (0.5 to 0.98).
 * Low and high are as likely to be passed.
 */
export function band(
  question: SpeedQuestion,
  setup: Pick<ReplicaSetup, "work">,
  confidence: number,
  basis: SpeedBasis,
  margins: MarginTable = ownMargins,
): Band {
  const kind: ModelKind = setup.work.experts === undefined ? "dense" : "moe";
  const row = margins.rows.find((each) => each.question === question && each.kind === kind);
  if (row === undefined) {
    throw new RangeError(`no margins are kept for ${question} of ${kind} models`);
  }
  const wide = margins.widening[basis];
  const at = (share: number) => Math.exp(wide * interpolated(margins.quantiles, row.logRatios, share));
  const tail = (1 - confidence) / 2;
  return { low: Math.min(1, at(tail)), high: Math.max(1, at(1 - tail)) };
}

export function intervalOf(expected: number, { low, high }: Band): Interval {
  return { expected, low: expected * low, high: expected * high };
}

function interpolated(xs: readonly number[], ys: readonly number[], x: number): number {
  const next = xs.findIndex((each) => each >= x);
  if (next <= 0) {
    return (next === 0 ? ys[0] : ys.at(-1)) ?? 0;
  }
  const [x0 = 0, x1 = 1, y0 = 0, y1 = 0] = [xs[next - 1], xs[next], ys[next - 1], ys[next]];
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}
