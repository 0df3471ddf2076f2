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
  ["firstToken", "time to first token, the engine's"],
  ["ttft", "time to first token, with clients"],
];

function nameOf({ question, kind }: Pick<Bar, "question" | "kind">): string {
  const name = QUESTIONS.find(([each]) => each === question)?.[1] ?? question;
  return kind === undefined ? name : `${name}, ${kind === "moe" ? "mixture of experts" : kind}`;
}

export function tableOfErrors(outcomes: readonly Outcome[]): readonly Table[] {
  return (["model", "card"] as const).map((leftOut) => {
    const left = outcomes.filter((each) => each.leftOut === leftOut);
    const rows = QUESTIONS.flatMap(([question]) =>
      ([undefined, "dense", "moe"] as const).flatMap((kind) => {
        const own = left.filter((each) => each.question === question && (kind === undefined || each.kind === kind));
        if (own.length === 0) {
          return [];
        }
        const bar = BARS.find((each) => each.question === question && each.kind === kind);
        const error = errorsOf(own);
        return [
          [
            nameOf({ question, ...(kind !== undefined && { kind }) }),
            String(own.length),
            `${error.median.toFixed(1)} / ${error.p90.toFixed(1)}`,
            bar === undefined ? "" : `${bar.median} / ${bar.p90}`,
            // Of one group alone there is no band that another's errors made.
            foldsIn(own).length > 1 ? `${(100 * coverage(own, left)).toFixed(0)} %` : "",
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

/** Shares of measurements that a band of 80 % may hold. */
const COVERAGE = { least: 0.75, most: 0.85 };

/** Cards that no fit has seen are asked all of it: errors have bars by what is asked. */
const UNSEEN_CARDS = "cards that no fit has seen";

const CLASSES: readonly (readonly [string, (outcome: Outcome) => boolean, Bar?])[] = [
  ...BARS.map((bar): readonly [string, (outcome: Outcome) => boolean, Bar] => [
    nameOf(bar),
    ({ question, kind }) => question === bar.question && (bar.kind === undefined || kind === bar.kind),
    bar,
  ]),
  [nameOf({ question: "prefill" }), ({ question }) => question === "prefill"],
  [UNSEEN_CARDS, ({ leftOut, question }) => leftOut === "card" && question !== "ttft"],
];

interface Verdict {
  readonly name: string;
  readonly rows: number;
  readonly error: { readonly median: number; readonly p90: number };
  readonly bar?: Bar;
  readonly isWithinBar: boolean;
  /** Share of the rows in a band of 80 %. */
  readonly share: number;
  readonly isBandTrue: boolean;
}

/** Each class on the rows of both ways of leaving out together. */
function verdictsOf(outcomes: readonly Outcome[]): readonly Verdict[] {
  return CLASSES.map(([name, isOf, bar]) => {
    const own = outcomes.filter(isOf);
    const error = errorsOf(own);
    const share = coverage(own, outcomes);
    return {
      name,
      rows: own.length,
      error,
      ...(bar !== undefined && { bar }),
      isWithinBar: bar === undefined || (error.median <= bar.median && error.p90 <= bar.p90),
      share,
      isBandTrue: share >= COVERAGE.least && share <= COVERAGE.most,
    };
  });
}

export function tableOfVerdicts(outcomes: readonly Outcome[]): Table {
  return {
    title: `Verdict, models and cards left out together; the band of 80 % is to hold ${COVERAGE_TEXT}`,
    columns: ["asked", "rows", "error", "bar", "bar met", "in band of 80 %", "band met"],
    rows: verdictsOf(outcomes).map(({ name, rows, error, bar, isWithinBar, share, isBandTrue }) => [
      name,
      String(rows),
      `${error.median.toFixed(1)} / ${error.p90.toFixed(1)}`,
      bar === undefined ? "" : `${bar.median} / ${bar.p90}`,
      bar === undefined ? "" : yesOrNo(isWithinBar),
      `${(100 * share).toFixed(0)} %`,
      yesOrNo(isBandTrue),
    ]),
  };
}

const COVERAGE_TEXT = `${100 * COVERAGE.least} to ${100 * COVERAGE.most} %`;

function yesOrNo(isMet: boolean): string {
  return isMet ? "yes" : "NO";
}

/** Sentences about bars and bands that do not hold, and about classes without a row. */
export function failuresOf(outcomes: readonly Outcome[]): readonly string[] {
  const verdicts = verdictsOf(outcomes);
  const judged = verdicts.filter(({ rows }) => rows > 0);
  const exceeded = judged.flatMap(({ name, error, bar, isWithinBar, share, isBandTrue }) => [
    ...(isWithinBar || bar === undefined
      ? []
      : [
          `${name} is off by ${error.median.toFixed(1)} / ${error.p90.toFixed(1)} % on groups left out; the bar is ${bar.median} / ${bar.p90}`,
        ]),
    ...(isBandTrue
      ? []
      : [
          `the band of 80 % holds ${(100 * share).toFixed(0)} % of ${name} on groups left out; it should hold ${COVERAGE_TEXT}`,
        ]),
  ]);
  return [
    ...exceeded,
    ...verdicts.filter(({ rows }) => rows === 0).map(({ name }) => `no row was predicted of ${name}`),
  ];
}

export function tableOfUnanswered(unanswered: readonly Unanswered[], answered?: number): Table {
  const ids = new Map<string, string[]>();
  for (const { reason, row } of unanswered) {
    ids.set(reason, [...(ids.get(reason) ?? []), row.id]);
  }
  return {
    title: `${answered === undefined ? "" : `${answered} rows answered. `}Rows without an answer: ${unanswered.length}`,
    columns: ["why", "rows", "ids"],
    rows:
      ids.size === 0
        ? [["all are answered", "0", ""]]
        : [...ids].map(([reason, each]) => [reason, String(each.length), each.join(" ")]),
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
