/** Prediction errors: factors around the measured value, from groups held out of the fit. */
import table from "./margins.json";
import type { ReplicaSetup } from "./types";

export type SpeedQuestion =
  | "tpot"
  /** As in published benchmarks: with clients and their tokenizers. */
  | "ttft"
  /** Of the engine alone. */
  | "firstToken"
  | "prefill"
  | "decode"
  | "tokensPerSecond"
  | "requestsAtLevel";

/** Basis of a prediction, best first. */
export type SpeedBasis = "own" | "same-card-and-engine" | "same-card" | "unseen-card";

export type ModelKind = "dense" | "moe";

/** Quantiles of measured over predicted, 0.01 to 0.99. */
export interface MarginRow {
  readonly question: SpeedQuestion;
  readonly kind: ModelKind;
  /** Held-out rows. */
  readonly rows: number;
  /** Natural logarithms of measured over predicted at the table's `quantiles`. */
  readonly logRatios: readonly number[];
}

export interface MarginTable {
  readonly quantiles: readonly number[];
  readonly rows: readonly MarginRow[];
  /** Fitted cards by catalogue name, with their engines. */
  readonly measured: readonly { readonly card: string; readonly engines: readonly string[] }[];
  /** Factors on the logarithms, by basis. */
  readonly widening: Readonly<Record<SpeedBasis, number>>;
}

export const ownMargins: MarginTable = table as MarginTable;

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** Expected value with its range at the confidence. */
export interface Interval extends Band {
  readonly expected: number;
}

/**
 * Factors around a prediction that contain the measured value with probability `confidence` (0.5 to
 * 0.98), symmetric in probability.
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
