import { PLANNED } from "./planned-replicas";
import type { PrometheusDuration } from "./types";

/** PromQL takes no range from a series: starts round up to these; the last covers longer ones. */
const RANGES: readonly (readonly [seconds: number, range: PrometheusDuration])[] = [
  [600, "10m"],
  [1200, "20m"],
  [2400, "40m"],
  [4800, "80m"],
  [9600, "160m"],
];

/**
 * A range as long as a start of the model; the shortest without a plan.
 * @param of the expression; its result has labels `namespace` and `model`.
 */
export function overStart(of: (range: PrometheusDuration) => string): string {
  return RANGES.map(([seconds, range], i) => {
    const above = RANGES[i - 1]?.[0];
    if (above === undefined) {
      return `(${of(range)} unless on (namespace, model) ${PLANNED.start} > ${seconds})`;
    }
    const upTo = i < RANGES.length - 1 ? ` <= ${seconds}` : "";
    return `(${of(range)} and on (namespace, model) ${PLANNED.start} > ${above}${upTo})`;
  }).join(" or ");
}

export function plannedStartSeries(model: string, seconds: number): Readonly<Record<string, string>> {
  return { [`${PLANNED.start}{namespace="model-${model}",model="${model}"}`]: `${seconds}x400` };
}
