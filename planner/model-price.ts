/** What the tokens of a planned model cost, beside what others ask for them. */
import { pricesOf, type StatedPrice } from "../catalog/api-prices";
import { findModel, modelOfTag } from "../catalog/models";
import type { Candidate } from "./candidates/types";
import { monthlyUsd } from "./cost";
import { replicasFor } from "./level/sizing";
import type { SpeedPlan } from "./level/speed-plan";
import type { ModelCost } from "./model-cost";
import type { ModelRequest } from "./request";
import { type TokenPrice, tokenPrice } from "./speed/price";
import type { PoolPlan } from "./types";

export interface ModelPriceQuestion {
  readonly model: ModelRequest;
  readonly candidate: Pick<Candidate, "layout">;
  readonly pool: Pick<PoolPlan, "shape" | "usdPerNodeHour">;
  readonly speed: SpeedPlan;
  /** What the replicas that always run, or by the clock, cost, with their part of what nobody claims. */
  readonly cost: Pick<ModelCost, "monthlyUsd" | "replicas">;
  readonly stated: readonly StatedPrice[];
}

/**
 * At the replicas that the traffic takes on average: those that run always or by the clock, and more where these do not answer it. A
 * model that sleeps costs nothing and answers nothing; its price is that of a replica that is awake.
 */
export function modelPrice({ model, candidate, pool, speed, cost, stated }: ModelPriceQuestion): TokenPrice {
  const { traffic, name, maxReplicas } = model;
  const ofEach = speed.capacity?.requestsPerSecond ?? speed.requestsPerSecond.expected;
  const held = cost.replicas;
  const needed = traffic === undefined || ofEach <= 0 ? 1 : replicasFor(traffic.requestsPerSecond, ofEach);
  const running = Math.max(1, held, Math.min(needed, maxReplicas));
  const usdOfEach = held > 0 ? cost.monthlyUsd / held : replicaUsd(candidate, pool);
  // Nobody answers requests that come faster than all replicas: their price would be that of work not done.
  const isAnswered = needed <= running;
  return tokenPrice(
    {
      inputTokens: speed.inputTokens,
      outputTokens: speed.outputTokens,
      monthlyUsd: usdOfEach * running,
      requestsPerSecond: isAnswered ? (traffic?.requestsPerSecond ?? 0) : 0,
      capacityPerSecond: ofEach * running,
    },
    pricesOf(cataloguedName(model), name, stated),
  );
}

/** A month of the part of its nodes that one replica claims. */
function replicaUsd(
  { layout }: Pick<Candidate, "layout">,
  { shape, usdPerNodeHour }: ModelPriceQuestion["pool"],
): number {
  const part = shape.gpu === undefined ? 1 : layout.gpusPerNode / shape.gpu.count;
  return monthlyUsd(usdPerNodeHour * layout.nodesPerReplica * part);
}

function cataloguedName({ source }: Pick<ModelRequest, "source">): string | undefined {
  if (source.kind === "artifact") {
    return undefined;
  }
  if ("tag" in source) {
    return modelOfTag(source.tag);
  }
  return "repository" in source ? findModel(source.repository)?.name : undefined;
}
