import { imagePullSeconds } from "../catalog/image-pull";
import { nodeStartSeconds } from "../catalog/node-start";
import { modelImageName } from "../engines";
import type { NodePacking } from "./packing";
import { heldReplicas, type Placement, packingItem } from "./placement";
import type { PlanRequest } from "./request";
import type { ScalingPlace } from "./scaling";
import type { PoolPlan } from "./types";

/** Waits of an additional replica before its pod starts. */
export type PlaceOfReplicas = Omit<ScalingPlace, "loadSeconds">;

/**
 * @param packing the pool's nodes with their permanent pods.
 * @param placements of the whole plan.
 */
export function placeOfReplicas(
  { model, candidate }: Placement,
  pool: Pick<PoolPlan, "name" | "shape" | "minNodes">,
  packing: NodePacking | undefined,
  placements: readonly Placement[],
  { storage }: Pick<PlanRequest, "storage">,
): PlaceOfReplicas {
  const image = modelImageName(model, pool.shape.gpu?.vendor ?? "cpu") ?? model.engine;
  const isSpare = heldReplicas(model) > model.minReplicas;
  const nodes = packing?.with(packingItem(candidate, 1)).nodes ?? Number.POSITIVE_INFINITY;
  return {
    pullSeconds: imagePullSeconds(image, storage.registryGbps),
    nodeSeconds: nodeStartSeconds(pool.shape),
    hasRoom: isSpare || nodes <= pool.minNodes,
    // Nodes with one of its replicas or the same engine. The scheduler chooses which one is next.
    hasImage: placements.some(
      (other) =>
        other.candidate.pool === pool.name && other.model.engine === model.engine && other.model.minReplicas > 0,
    ),
  };
}
