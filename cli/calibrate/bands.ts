/** Observed values against the plan's ranges. Pure. */
import type { SpeedPlan } from "../../planner/level/speed-plan";
import type { Interval as Range } from "../../planner/speed/margin";
import { type Between, type Histogram, meanOf, quantileOf } from "./histogram";
import type { ObservedLoad } from "./loads";

export interface BandVerdict {
  readonly figure: string;
  /** Milliseconds; low and high where only the bucket is known. */
  readonly observed: Between;
  readonly expected: Range;
  /** `open`: the bucket overlaps an end of the range. */
  readonly verdict: "within" | "below" | "above" | "open";
}

export type Judgement =
  | { readonly inFlight: number; readonly bands: readonly BandVerdict[] }
  /** Why there is no comparison, as a sentence. */
  | { readonly incomparable: string };

/** Ranges are for one load: larger factors differ by more than the prediction's error. */
const ALIKE = 2;

export function judgeBands(
  speed: Pick<SpeedPlan, "inFlight" | "inputTokens" | "outputTokens" | "firstTokenMs" | "tokenMs">,
  loads: readonly ObservedLoad[],
): Judgement {
  const planned = {
    inFlight: Math.max(1, speed.inFlight),
    inputTokens: speed.inputTokens,
    outputTokens: speed.outputTokens,
  };
  const apart = ({ load }: ObservedLoad) =>
    Math.max(...(["inFlight", "inputTokens", "outputTokens"] as const).map((key) => ratio(load[key], planned[key])));
  const [nearest] = [...loads].sort((a, b) => apart(a) - apart(b));
  if (nearest === undefined || apart(nearest) > ALIKE) {
    const seen = nearest === undefined ? "none" : textOf(nearest.load);
    return {
      incomparable: `the plan's ranges are of ${textOf(planned)}; the nearest load that was observed is ${seen}`,
    };
  }
  const { firstToken, token, load } = nearest;
  return {
    inFlight: load.inFlight,
    bands: [
      ...verdicts("first token", firstToken, speed.firstTokenMs),
      ...verdicts("time per token", token, speed.tokenMs),
    ],
  };
}

function verdicts(name: string, histogram: Histogram, { mean, p99 }: SpeedPlan["tokenMs"]): BandVerdict[] {
  const exact = meanOf(histogram);
  const bucket = quantileOf(histogram, 0.99);
  if (bucket === undefined) {
    return [];
  }
  const inMs = ({ low, high }: Between) => ({ low: 1000 * low, high: 1000 * high });
  return [
    verdictOf(`${name}, mean`, inMs({ low: exact, high: exact }), mean),
    verdictOf(`${name}, 99th percentile`, inMs(bucket), p99),
  ];
}

function verdictOf(figure: string, observed: Between, expected: Range): BandVerdict {
  const is = (verdict: BandVerdict["verdict"]) => ({ figure, observed, expected, verdict });
  if (observed.high < expected.low) {
    return is("below");
  }
  if (observed.low > expected.high) {
    return is("above");
  }
  return is(observed.low >= expected.low && observed.high <= expected.high ? "within" : "open");
}

function textOf({
  inFlight,
  inputTokens,
  outputTokens,
}: {
  readonly inFlight: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}): string {
  return `${Math.round(inFlight)} at once of ${inputTokens} + ${outputTokens} tokens`;
}

function ratio(a: number, b: number): number {
  return Math.max(a, b) / Math.max(1e-9, Math.min(a, b));
}
