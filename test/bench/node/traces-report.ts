import { pairedRatio, summarize } from "../statistics";
import { milliseconds, type Table } from "../table";
import { LIMITS } from "./report";
import { COLLECTORS, type TracedLoad } from "./traces";

/** Seconds until the first byte that spans add: the median of the rounds' differences. */
export function addedBySpans({ plain, traced }: TracedLoad): number {
  return summarize(
    traced.map(({ firstByteSeconds }, i) => firstByteSeconds - (plain[i]?.firstByteSeconds ?? Number.NaN)),
  ).median;
}

export function tracesTable(loads: readonly TracedLoad[]): Table {
  return {
    title: `spans of a node, an answer at once over one connection; at most ${milliseconds(LIMITS.firstByteSeconds)} to the first byte`,
    columns: ["collector", "without spans p50", "with spans p50", "rate", "first byte adds", "verdict"],
    rows: loads.map((load) => {
      const p50 = (rounds: TracedLoad["plain"]) =>
        milliseconds(summarize(rounds.map((each) => each.p50Seconds)).median);
      const rates = (rounds: TracedLoad["plain"]) => rounds.map(({ perSecond }) => perSecond);
      const added = addedBySpans(load);
      return [
        load.collector,
        p50(load.plain),
        p50(load.traced),
        pairedRatio(rates(load.traced), rates(load.plain)).toFixed(3),
        milliseconds(added),
        added <= LIMITS.firstByteSeconds ? "passed" : "failed",
      ];
    }),
  };
}

/** Collectors with which requests are slower, and those that were not measured, one sentence each. */
export function tracesFailures(loads: readonly TracedLoad[]): string[] {
  const late = loads.flatMap((load) => {
    const added = addedBySpans(load);
    return added <= LIMITS.firstByteSeconds
      ? []
      : [
          `spans to a collector that ${load.collector === "gone" ? "is gone" : load.collector}: they add ${milliseconds(added)} to the first byte, at most ${milliseconds(LIMITS.firstByteSeconds)} is asked`,
        ];
  });
  const absent = COLLECTORS.filter((collector) => !loads.some((load) => load.collector === collector));
  return [...late, ...absent.map((collector) => `spans, collector ${collector}: not measured`)];
}
