/** Tables of the speed bench, and the bars that its errors are held to. */
import type { SpeedQuestion } from "../../../planner/speed/margin";
import { band } from "../../../planner/speed/margin";
import type { Table } from "../table";
import { BAND, foldOf, foldsIn, marginsOf, type Outcome, QUANTILES, quantile } from "./held-out";
import type { Unanswered } from "./resolve";

/** Largest error in percent, median and 90th percentile; as the project promises them. */
interface Bar {
  readonly question: SpeedQuestion;
  readonly kind?: "dense" | "moe";
  readonly median: number;
  readonly p90: number;
}

/** Within a factor of two: an error of 100 %. */
const BARS: readonly Bar[] = [
  { question: "tpot", kind: "dense", median: 13, p90: 45 },
  { question: "tpot", kind: "moe", median: 20, p90: 60 },
  { question: "tokensPerSecond", median: 20, p90: 65 },
  { question: "decode", median: 16, p90: 55 },
  { question: "requestsAtLevel", median: 20, p90: 100 },
];

const QUESTIONS: readonly (readonly [SpeedQuestion, string])[] = [
  ["tpot", "time per output token"],
  ["tokensPerSecond", "output tokens per second"],
  ["decode", "one stream"],
  ["requestsAtLevel", "requests per second at a level"],
  ["prefill", "prompts"],
  ["ttft", "time to first token"],
];

export function tableOfErrors(outcomes: readonly Outcome[]): readonly Table[] {
  return (["model", "card"] as const).map((leftOut) => {
    const left = outcomes.filter((each) => each.leftOut === leftOut);
    const rows = QUESTIONS.flatMap(([question, name]) =>
      ([undefined, "dense", "moe"] as const).flatMap((kind) => {
        const own = left.filter((each) => each.question === question && (kind === undefined || each.kind === kind));
        if (own.length === 0) {
          return [];
        }
        const bar = BARS.find((each) => each.question === question && each.kind === kind);
        const error = errorsOf(own);
        return [
          [
            `${name}${kind === undefined ? "" : `, ${kind === "moe" ? "mixture of experts" : kind}`}`,
            String(own.length),
            `${error.median.toFixed(1)} / ${error.p90.toFixed(1)}`,
            bar === undefined ? "" : `${bar.median} / ${bar.p90}`,
            `${(100 * coverage(own, left)).toFixed(0)} %`,
          ],
        ];
      }),
    );
    return {
      title: `Speed model, whole ${leftOut}s left out of the fit: error in %, median / 90th percentile`,
      columns: ["asked", "rows", "error", "bar", "in band of 80 %"],
      rows,
    };
  });
}

/** Sentences about bars that do not hold: on the rows of both ways of leaving out. */
export function failuresOf(outcomes: readonly Outcome[]): readonly string[] {
  return [...errorFailures(outcomes), ...bandFailures(outcomes)];
}

/** Shares of measurements that a band of 80 % may hold. */
const COVERAGE = { least: 0.75, most: 0.85 };

const CLASSES: readonly (readonly [string, (outcome: Outcome) => boolean])[] = [
  ["time per token of dense models", ({ question, kind }) => question === "tpot" && kind === "dense"],
  ["time per token of mixtures of experts", ({ question, kind }) => question === "tpot" && kind === "moe"],
  ["tokens per second", ({ question }) => question === "tokensPerSecond"],
  ["one stream", ({ question }) => question === "decode"],
  ["prompts", ({ question }) => question === "prefill"],
  ["requests per second at a level", ({ question }) => question === "requestsAtLevel"],
  ["cards that no fit has seen", ({ leftOut, question }) => leftOut === "card" && question !== "ttft"],
];

function bandFailures(outcomes: readonly Outcome[]): readonly string[] {
  return CLASSES.flatMap(([name, isOf]) => {
    const share = coverage(outcomes.filter(isOf), outcomes);
    return share < COVERAGE.least || share > COVERAGE.most
      ? [
          `speed: the band of 80 % holds ${(100 * share).toFixed(0)} % of ${name} on groups left out; it should hold ${100 * COVERAGE.least} to ${100 * COVERAGE.most} %`,
        ]
      : [];
  });
}

function errorFailures(outcomes: readonly Outcome[]): readonly string[] {
  return BARS.flatMap(({ question, kind, median, p90 }) => {
    const own = outcomes.filter((each) => each.question === question && (kind === undefined || each.kind === kind));
    const error = errorsOf(own);
    return error.median > median || error.p90 > p90
      ? [
          `speed: ${question}${kind ? ` of ${kind} models` : ""} is off by ${error.median.toFixed(1)} / ${error.p90.toFixed(1)} % on groups left out; the bar is ${median} / ${p90}`,
        ]
      : [];
  });
}

export function tableOfUnanswered(unanswered: readonly Unanswered[], answered?: number): Table {
  const ids = new Map<string, string[]>();
  for (const { reason, row } of unanswered) {
    ids.set(reason, [...(ids.get(reason) ?? []), row.id]);
  }
  return {
    title: `${answered === undefined ? "" : `${answered} rows answered. `}Rows without an answer: ${unanswered.length}`,
    columns: ["why", "rows", "ids"],
    rows: [...ids].map(([reason, each]) => [reason, String(each.length), each.join(" ")]),
  };
}

function errorsOf(outcomes: readonly Outcome[]): { median: number; p90: number } {
  const errors = outcomes.map(({ logRatio }) => 100 * (Math.exp(Math.abs(logRatio)) - 1)).sort((a, b) => a - b);
  return { median: quantile(errors, 0.5), p90: quantile(errors, 0.9) };
}

/** Share of rows in a band made of the errors of other folds alone. */
function coverage(own: readonly Outcome[], all: readonly Outcome[]): number {
  const inside = foldsIn(own).flatMap((fold) => {
    const rows = marginsOf(all.filter((each) => foldOf(each) !== fold));
    const margins = { quantiles: QUANTILES, rows, measured: [], widening: WIDENING };
    return own
      .filter((each) => foldOf(each) === fold)
      .filter(({ resolved, question, logRatio }) => {
        const { low, high } = band(question, resolved.setup, BAND, "same-card-and-engine", margins);
        return Math.exp(logRatio) >= low && Math.exp(logRatio) <= high;
      });
  });
  return inside.length / own.length;
}

const WIDENING = { own: 1, "same-card-and-engine": 1, "same-card": 1, "unseen-card": 1 };
