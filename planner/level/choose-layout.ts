/** The cheapest layout that fits and serves the traffic within the level. */
import { SERVICE_LEVEL } from "../../names/rules";
import type { Candidate, Fit } from "../candidates/types";
import type { ModelRequest, PoolRequest } from "../request";
import type { ServiceLevel } from "../service-level";
import { type LevelRate, tokenTimeOf } from "./level-rate";
import { type Sizing, withReplicas } from "./sizing";
import { floorText, layoutText, leastMs, levelTexts, missedTexts } from "./text";

export interface LayoutOption {
  readonly candidate: Candidate;
  readonly sizing: Sizing;
}

/** @param options at least one, best first without traffic. */
export function chooseLayout(model: ModelRequest, pool: PoolRequest, options: readonly LayoutOption[]): Fit {
  const able = options.filter(({ sizing }) => Number.isFinite(sizing.needed));
  const [first] = options;
  if (first === undefined || able.length === 0) {
    return refusal(model, pool, options);
  }
  const enough = able.filter((option) => isEnough(model, pool, option));
  const chosen =
    enough.length > 0 ? leastBy(enough, (option) => nodesOf(model, pool, option)) : leastBy(able, cardsAtPeak);
  const why = chosen === first ? undefined : whyNot(model, pool, first, chosen);
  return { candidate: { ...chosen.candidate, sizing: chosen.sizing, ...(why !== undefined && { why }) } };
}

/** Whether allowed replicas, or those the pool holds, answer the peak. */
function isEnough(model: ModelRequest, pool: PoolRequest, { candidate, sizing }: LayoutOption): boolean {
  const { maxReplicas } = withReplicas(model, sizing);
  const { nodesPerReplica, gpusPerNode } = candidate.layout;
  const perNode = Math.max(1, Math.floor((pool.shape.gpu?.count ?? 1) / Math.max(1, gpusPerNode)));
  const nodes = nodesPerReplica > 1 ? maxReplicas * nodesPerReplica : Math.ceil(maxReplicas / perNode);
  return sizing.needed <= maxReplicas && nodes <= pool.maxNodes;
}

/** Claims of permanent replicas, in nodes. */
function nodesOf(model: ModelRequest, pool: PoolRequest, { candidate, sizing }: LayoutOption): number {
  const { minReplicas } = withReplicas(model, sizing);
  const { nodesPerReplica, gpusPerNode } = candidate.layout;
  return (Math.max(1, minReplicas) * nodesPerReplica * gpusPerNode) / (pool.shape.gpu?.count ?? 1);
}

/** Claims of all peak replicas, in cards. */
function cardsAtPeak({ candidate: { layout }, sizing }: LayoutOption): number {
  return sizing.needed * layout.nodesPerReplica * layout.gpusPerNode;
}

/** First of equals. */
function leastBy<T>(options: readonly T[], measure: (option: T) => number): T {
  return options.reduce((best, option) => (measure(option) < measure(best) - 1e-9 ? option : best));
}

function whyNot(model: ModelRequest, pool: PoolRequest, first: LayoutOption, chosen: LayoutOption): string {
  const [before, now] = [first, chosen].map(({ candidate: { layout } }) => layoutText(layout));
  const { rate, needed } = first.sizing;
  const level = model.serviceLevel ?? {};
  if (!Number.isFinite(needed)) {
    const missed = missedTexts(rate, level);
    return missed.length === 0
      ? `${before} would fit, ${now} because the KV cache of ${before} has no room for a request of its traffic`
      : `${before} would fit, ${now} because ${missed.map(({ asked }) => asked).join(" and ")} ${missed.length > 1 ? "need" : "needs"} it: the floor of ${before} is ${missed.map((each) => each.floor).join(" and ")}`;
  }
  const times = levelTexts(level);
  const within = times.length > 0 ? ` within ${times.join(" and ")}` : "";
  const gpus = (option: LayoutOption) => Math.round(nodesOf(model, pool, option) * (pool.shape.gpu?.count ?? 1));
  return isEnough(model, pool, first)
    ? `${before} would fit, ${now} because its replicas answer the peak${within} on ${gpus(chosen)} GPUs, those of ${before} on ${gpus(first)}`
    : `${before} would fit, ${now} because the peak${within} takes ${needed} replicas of ${before}, of ${now} ${chosen.sizing.needed}`;
}

function refusal(model: ModelRequest, pool: PoolRequest, options: readonly LayoutOption[]): Fit {
  const level = model.serviceLevel ?? {};
  const excess = ({ sizing: { rate } }: LayoutOption) => tooSlow(rate, level);
  const { candidate, sizing } = leastBy(options, excess);
  const { layout, estimate, each } = candidate;
  const where = `${pool.shape.gpu?.model ?? pool.shape.name}, ${layoutText(layout)}`;
  const { missed, floor } = sizing.rate;
  const reason =
    missed.length > 0
      ? `on ${where}: ${floorText(sizing.rate, level)}`
      : `on ${where}: the KV cache has no room for one request of ${model.traffic?.inputTokens ?? 0} + ${model.traffic?.outputTokens ?? 0} tokens`;
  const remedies = missed.map((time) => {
    const worse = floor[time].worse;
    return time === "tpotMs" && level.tpotMs === undefined
      ? `models.${model.name}.serviceLevel.tokensPerSecond: ${Math.floor((1000 / worse) * 10) / 10}`
      : `models.${model.name}.serviceLevel.${time}: ${leastMs(worse)}`;
  });
  const remedy =
    remedies.length > 0
      ? `write ${remedies.join(" and ")}, or less demanding${model.traffic === undefined ? "" : ": the least for one request alone. No longer time by itself was found to be enough for its traffic: lengthen all of them, or give it more nodes, faster cards or fewer requests"}`
      : `write less inputTokens or outputTokens under models.${model.name}.traffic, or take a pool with more memory`;
  return {
    refusal: {
      pool: pool.name,
      layout,
      estimate,
      each,
      reason,
      remedy,
      rule: SERVICE_LEVEL,
      tooSlow: tooSlow(sizing.rate, level),
    },
  };
}

/** Largest excess over the level's times at no load: 1.3 for a third too long; 1 if kept. */
function tooSlow({ floor, missed }: LevelRate, level: ServiceLevel): number {
  const asked = { ttftMs: level.ttftMs, tpotMs: tokenTimeOf(level) };
  return Math.max(1, ...missed.map((time) => floor[time].worse / (asked[time] ?? floor[time].worse)));
}
