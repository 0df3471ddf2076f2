/** Token cost of a planned model next to prices of external APIs. */
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
  /** Cost of permanent and scheduled replicas, with their share of unclaimed resources. */
  readonly cost: Pick<ModelCost, "monthlyUsd" | "replicas">;
  readonly stated: readonly StatedPrice[];
}

/**
 * At the average number of replicas: permanent or scheduled ones, more where these cannot answer
 * the traffic. A model at zero costs and answers nothing; its price is that of one running replica.
 */
export function modelPrice({ model, candidate, pool, speed, cost, stated }: ModelPriceQuestion): TokenPrice {
  const { traffic, name, maxReplicas } = model;
  const ofEach = speed.capacity?.requestsPerSecond ?? speed.requestsPerSecond.expected;
  const held = cost.replicas;
  const needed = traffic === undefined || ofEach <= 0 ? 1 : replicasFor(traffic.requestsPerSecond, ofEach);
  const running = Math.max(1, held, Math.min(needed, maxReplicas));
  const usdOfEach = held > 0 ? cost.monthlyUsd / held : replicaUsd(candidate, pool);
  // Traffic beyond all replicas is not answered and gets no price.
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

/** Monthly cost of one replica's share of its nodes. */
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
