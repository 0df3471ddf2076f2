import { pairedRatio, summarize } from "../statistics";
import { milliseconds, type Table, times } from "../table";
import { type AnswersLoad, PROMPTS, TOKENS } from "./answers";
import type { ResidencyComparison } from "./residency";
import type { StatusLoad, StatusRound } from "./status";

/** Medians over the rounds; of loads with as many connections, the first is what the others are compared with. */
export function statusTable(models: number, loads: readonly StatusLoad[]): Table {
  return {
    title: `where is one of ${models} models, ${loads[0]?.rounds.length ?? 0} rounds; × of Ollama itself, with as many connections`,
    columns: ["asked", "connections", "answers per second", "p50", "p99", "rate", "p50", "p99"],
    rows: loads.map((load) => {
      const first = loads.find(({ connections }) => connections === load.connections) ?? load;
      const each = (of: (round: StatusRound) => number) => load.rounds.map(of);
      const ratio = (of: (round: StatusRound) => number) => pairedRatio(each(of), first.rounds.map(of)).toFixed(2);
      return [
        load.name,
        String(load.connections),
        summarize(each(rate)).median.toFixed(0),
        milliseconds(summarize(each(p50)).median),
        milliseconds(summarize(each(p99)).median),
        `${ratio(rate)} ×`,
        `${ratio(p50)} ×`,
        `${ratio(p99)} ×`,
      ];
    }),
  };
}

/** What the API adds is the median over the rounds of the difference within one round. */
export function residencyTable(comparisons: readonly ResidencyComparison[]): Table {
  return {
    title: `a model into memory and out again, ${comparisons[0]?.apiSeconds.length ?? 0} rounds`,
    columns: ["done by", "min", "median", "max", "the API adds", "time against Ollama alone"],
    rows: comparisons.flatMap(({ change, directSeconds, apiSeconds }) => {
      const added = apiSeconds.map((value, round) => value - (directSeconds[round] ?? Number.NaN));
      return [
        [`${change}, Ollama`, ...spread(directSeconds), "", times(pairedRatio(directSeconds, directSeconds))],
        [
          `${change}, API`,
          ...spread(apiSeconds),
          milliseconds(summarize(added).median),
          times(pairedRatio(apiSeconds, directSeconds)),
        ],
      ];
    }),
  };
}

/** Of loads with as many at once, the first is what the others are compared with, round by round. */
export function answersTable(loads: readonly AnswersLoad[]): Table {
  return {
    title: `${PROMPTS} prompts answered with ${TOKENS} tokens each, ${loads[0]?.roundSeconds.length ?? 0} rounds; × of Ollama itself, with as many at once`,
    columns: ["asked", "at once", "prompts per second", "time for each", "the API adds", "rate", "time"],
    rows: loads.map(({ name, atOnce, roundSeconds }) => {
      const first = loads.find((load) => load.atOnce === atOnce)?.roundSeconds ?? roundSeconds;
      const each = roundSeconds.map((all) => (all * atOnce) / PROMPTS);
      const added = roundSeconds.map((all, round) => ((all - (first[round] ?? Number.NaN)) * atOnce) / PROMPTS);
      return [
        name,
        String(atOnce),
        summarize(roundSeconds.map((all) => PROMPTS / all)).median.toFixed(1),
        milliseconds(summarize(each).median),
        first === roundSeconds ? "" : milliseconds(summarize(added).median),
        `${pairedRatio(first, roundSeconds).toFixed(2)} ×`,
        `${pairedRatio(roundSeconds, first).toFixed(2)} ×`,
      ];
    }),
  };
}

const rate = ({ perSecond }: StatusRound) => perSecond;
const p50 = ({ p50Seconds }: StatusRound) => p50Seconds;
const p99 = ({ p99Seconds }: StatusRound) => p99Seconds;

function spread(values: readonly number[]): readonly string[] {
  const { min, median, max } = summarize(values);
  return [min, median, max].map(milliseconds);
}
