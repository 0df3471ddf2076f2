/** Predictions of rows by constants that were fitted without their group: whole models, then whole cards, are left out. */
import type { ConstantRow } from "../../../planner/speed/constants";
import { ConstantTable } from "../../../planner/speed/constants";
import type { MarginRow, ModelKind, SpeedQuestion } from "../../../planner/speed/margin";
import { fitConstants } from "./fit";
import { predict, questionOf } from "./predict";
import { modelName, type Resolved } from "./resolve";

export interface Outcome {
  readonly resolved: Resolved;
  readonly question: SpeedQuestion;
  readonly kind: ModelKind;
  readonly leftOut: "model" | "card";
  readonly fold: number;
  readonly predicted: number;
  /** Natural logarithm of measured over predicted. */
  readonly logRatio: number;
}

const FOLDS = 8;

export function heldOut(
  rows: readonly Resolved[],
  start: readonly ConstantRow[],
  progress: (text: string) => void,
  ways: readonly Outcome["leftOut"][] = ["model", "card"],
): readonly Outcome[] {
  return ways.flatMap((leftOut) => {
    const groupOf = ({ row, setup }: Resolved) => (leftOut === "model" ? modelName(row.model) : setup.card.name);
    const folds = foldsOf(rows.map(groupOf));
    return Array.from({ length: FOLDS }, (_, fold) => {
      progress(`fitting without an eighth of the ${leftOut}s, ${fold + 1} of ${FOLDS}`);
      const inside = rows.filter((each) => folds.get(groupOf(each)) !== fold);
      const outside = rows.filter((each) => folds.get(groupOf(each)) === fold);
      return outcomesOf(outside, new ConstantTable(fitConstants(inside, start)), leftOut, fold);
    }).flat();
  });
}

export function outcomesOf(
  rows: readonly Resolved[],
  table: ConstantTable,
  leftOut: "model" | "card" = "model",
  fold = 0,
): readonly Outcome[] {
  return rows.flatMap((resolved) => {
    const question = questionOf(resolved);
    const predicted = predict(resolved, table);
    if (question === undefined || predicted === undefined || !(predicted > 0) || resolved.row.value === undefined) {
      return [];
    }
    const kind = resolved.setup.work.experts === undefined ? ("dense" as const) : ("moe" as const);
    const logRatio = Math.log(resolved.row.value / predicted);
    return [{ resolved, question, kind, leftOut, fold, predicted, logRatio }];
  });
}

/** Groups dealt over the folds, the largest first, back and forth. */
function foldsOf(groups: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const group of groups) {
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const ordered = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(
    ordered.map(([group], index) => [
      group,
      Math.floor(index / FOLDS) % 2 === 0 ? index % FOLDS : FOLDS - 1 - (index % FOLDS),
    ]),
  );
}

export const QUANTILES: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/** Rows that a class needs for quantiles of its own; smaller ones take those of their question, whatever the kind. */
const FEWEST = 20;

const QUESTIONS = ["tpot", "ttft", "firstToken", "prefill", "decode", "tokensPerSecond", "requestsAtLevel"] as const;
const KINDS = ["dense", "moe"] as const;

/**
 * Quantiles of the errors by what is asked and the kind of model, each as much wider as it takes for four fifths of the rows of
 * one fold to lie within those of the others: groups differ from each other by more than rows of one group do.
 */
export function marginsOf(outcomes: readonly Outcome[]): readonly MarginRow[] {
  return QUESTIONS.flatMap((question) =>
    KINDS.map((kind): MarginRow => {
      const own = outcomes.filter((each) => each.question === question && each.kind === kind);
      const alike = own.length >= FEWEST ? own : outcomes.filter((each) => each.question === question);
      const wide = wideningOf(own.length > 0 ? own : alike, alike);
      return { question, kind, rows: own.length, logRatios: quantilesOf(alike).map((value) => round4(wide * value)) };
    }),
  );
}

function quantilesOf(outcomes: readonly Outcome[]): readonly number[] {
  const errors = outcomes.map(({ logRatio }) => logRatio).sort((a, b) => a - b);
  return QUANTILES.map((share) => quantile(errors, share));
}

/** Share of measurements that a band is to hold where it is tested. */
export const BAND = 0.8;
const MOST_WIDENING = 3;
/** Rows with which a factor that they ask for is believed by half: of few it is mostly chance. */
const ROWS_OF_DOUBT = 50;

/** The smallest factor, by hundredths, with which as many rows lie in the band of the other folds as should. */
function wideningOf(own: readonly Outcome[], alike: readonly Outcome[]): number {
  const edge = (1 - BAND) / 2;
  const needed = foldsIn(own).flatMap((fold) => {
    const others = alike.filter((each) => foldOf(each) !== fold);
    const errors = others.map(({ logRatio }) => logRatio).sort((a, b) => a - b);
    const [low, high] = [quantile(errors, edge), quantile(errors, 1 - edge)];
    return own.filter((each) => foldOf(each) === fold).map(({ logRatio }) => factorFor(logRatio, low, high));
  });
  const wide = quantile(
    needed.sort((a, b) => a - b),
    BAND,
  );
  const believed = 1 + ((wide - 1) * own.length) / (own.length + ROWS_OF_DOUBT);
  return Math.min(MOST_WIDENING, Math.max(1, Math.ceil(100 * believed) / 100));
}

/** By how much the edge on its side has to move for an error to lie within. */
function factorFor(logRatio: number, low: number, high: number): number {
  const edge = logRatio < 0 ? low : high;
  return edge * logRatio > 0 ? logRatio / edge : MOST_WIDENING;
}

/** What was left out together. */
export function foldOf({ leftOut, fold }: Pick<Outcome, "leftOut" | "fold">): string {
  return `${leftOut} ${fold}`;
}

export function foldsIn(outcomes: readonly Outcome[]): readonly string[] {
  return [...new Set(outcomes.map(foldOf))];
}

/** @param sorted in rising order */
export function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return round4(low + (high - low) * (place - Math.floor(place)));
}

function round4(value: number): number {
  return Math.round(1e4 * value) / 1e4;
}
