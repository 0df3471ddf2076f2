/** Texts for layouts, levels and limits, shared by refusals, plans and reports. */
import { decimal } from "../../names/decimal";
import type { Layout } from "../layouts";
import type { ServiceLevel } from "../service-level";
import type { SpeedBasis } from "../speed/margin";
import type { LimitedBy } from "../speed/types";
import { type LevelRate, tokenTimeOf, USUAL_LEVEL } from "./level-rate";

/** `TP 4`, `TP 8 × PP 2`. */
export function layoutText({
  tensorParallel,
  pipelineParallel,
}: Pick<Layout, "tensorParallel" | "pipelineParallel">): string {
  return `TP ${tensorParallel}${pipelineParallel > 1 ? ` × PP ${pipelineParallel}` : ""}`;
}

export const LIMIT_TEXTS: Readonly<Record<LimitedBy, string>> = {
  weights: "reading weights",
  "kv-reads": "reading the KV cache",
  compute: "arithmetic",
  prefill: "reading prompts",
  "kv-capacity": "room in the KV cache",
  "all-reduce": "exchange between GPUs",
  pipeline: "exchange between pipeline stages",
  overhead: "the engine's own work",
  "max-num-seqs": "the requests that the engine runs at once",
};

export const BASIS_TEXTS: Readonly<Record<SpeedBasis, string>> = {
  own: "own measurement",
  "same-card-and-engine": "measurements of this card and engine",
  "same-card": "measurements of this card with other engines",
  "unseen-card": "measurements of other cards",
};

/** `40 ms per token`, `500 ms to the first token`. */
export function levelTexts(level: ServiceLevel): string[] {
  const tpotMs = tokenTimeOf(level);
  return [
    ...(tpotMs === undefined ? [] : [`${ms(tpotMs)} per token`]),
    ...(level.ttftMs === undefined ? [] : [`${ms(level.ttftMs)} to the first token`]),
  ];
}

/** Why no load keeps the level: `40 ms per token is below the floor of 52 ms`. */
export function floorText({ floor, missed }: LevelRate, level: ServiceLevel): string {
  const { confidence = USUAL_LEVEL.confidence, percentile = USUAL_LEVEL.percentile } = level;
  const texts = missed.map((time) => {
    const { expected, worse } = floor[time];
    return `${timeText(time, level)} is below the floor of ${floorMs(worse)} (expected ${ms(expected)})`;
  });
  return `${texts.join("; ")} for one request alone, at the ${percentile}th percentile and confidence ${confidence}`;
}

/** Times that no load keeps, and the least possible. */
export function missedTexts({ floor, missed }: LevelRate, level: ServiceLevel): { asked: string; floor: string }[] {
  return missed.map((time) => ({
    asked: timeText(time, level),
    floor: floorMs(floor[time].worse),
  }));
}

function timeText(time: LevelRate["missed"][number], level: ServiceLevel): string {
  return time === "tpotMs" ? `${ms(tokenTimeOf(level) ?? 0)} per token` : `${ms(level.ttftMs ?? 0)} to the first token`;
}

/** Rounds up to whole milliseconds. */
export function leastMs(floor: number): number {
  return Math.ceil(floor - 1e-9);
}

function floorMs(floor: number): string {
  return `${leastMs(floor).toLocaleString("en-US")} ms`;
}

/** `0.4 ms`, `52 ms`, `1,250 ms`. */
export function ms(value: number): string {
  return `${figure(value)} ms`;
}

/** Three digits exceed any prediction's precision. */
export function figure(value: number): string {
  return decimal(Number(value.toPrecision(value >= 100 ? 3 : 2)), 4);
}

/** `1 request/s`, `0.82 requests/s` */
export function requestsText(perSecond: number): string {
  return `${figure(perSecond)} ${figure(perSecond) === "1" ? "request" : "requests"}/s`;
}
