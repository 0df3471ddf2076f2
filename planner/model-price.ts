/** What the tokens of a planned model cost, beside what others ask for them. */
import { pricesOf, type StatedPrice } from "../catalog/api-prices";
import { findModel, modelOfTag } from "../catalog/models";
import type { Candidate } from "./candidates/types";
import { monthlyUsd } from "./cost";
import { replicasFor } from "./level/sizing";
import type { SpeedPlan } from "./level/speed-plan";
import { heldReplicas } from "./placement";
import type { ModelRequest } from "./request";
import { type TokenPrice, tokenPrice } from "./speed/price";
import type { PoolPlan } from "./types";

export interface ModelPriceQuestion {
  readonly model: ModelRequest;
  readonly candidate: Pick<Candidate, "layout">;
  readonly pool: Pick<PoolPlan, "shape" | "usdPerNodeHour" | "hoursPerDay">;
  readonly speed: SpeedPlan;
  /** What the replicas that always run cost, with their part of what nobody claims. */
  readonly monthlyUsd: number;
  readonly stated: readonly StatedPrice[];
}

/**
 * At the replicas that the traffic takes on average: those that always run, and more where these do not answer it. A model that
 * sleeps costs nothing and answers nothing; its price is that of a replica that is awake.
 */
export function modelPrice({
  model,
  candidate,
  pool,
  speed,
  monthlyUsd: ofHeld,
  stated,
}: ModelPriceQuestion): TokenPrice {
  const { traffic, name, maxReplicas } = model;
  const ofEach = speed.capacity?.requestsPerSecond ?? speed.requestsPerSecond.expected;
  const held = heldReplicas(model);
  const needed = traffic === undefined || ofEach <= 0 ? 1 : replicasFor(traffic.requestsPerSecond, ofEach);
  const running = Math.max(1, held, Math.min(needed, maxReplicas));
  const usdOfEach = held > 0 ? ofHeld / held : replicaUsd(candidate, pool);
  // Nobody answers requests that come faster than all replicas: their price would be that of work not done.
  const isAnswered = needed <= running;
  return tokenPrice(
    {
      inputTokens: speed.inputTokens,
      outputTokens: speed.outputTokens,
      monthlyUsd: usdOfEach * running,
      hoursPerDay: pool.hoursPerDay,
      requestsPerSecond: isAnswered ? (traffic?.requestsPerSecond ?? 0) : 0,
      capacityPerSecond: ofEach * running,
    },
    pricesOf(cataloguedName(model), name, stated),
  );
}

/** A month of the part of its nodes that one replica claims. */
function replicaUsd(
  { layout }: Pick<Candidate, "layout">,
  { shape, usdPerNodeHour, hoursPerDay }: ModelPriceQuestion["pool"],
): number {
  const part = shape.gpu === undefined ? 1 : layout.gpusPerNode / shape.gpu.count;
  return monthlyUsd(usdPerNodeHour * layout.nodesPerReplica * part, hoursPerDay);
}

function cataloguedName({ source }: Pick<ModelRequest, "source">): string | undefined {
  if ("tag" in source) {
    return modelOfTag(source.tag);
  }
  return "repository" in source ? findModel(source.repository)?.name : undefined;
}
