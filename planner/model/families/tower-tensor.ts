/** Weights of the towers that turn images and sound into tokens. */
import type { ProjectionShape, VisionTower } from "../architecture";

export type TowerTensor = VisionTower["tensors"][number];

/** A weight that a tower holds `count` times. */
export function towerTensor(
  name: string,
  outputs: number,
  inputs: number,
  count: number,
  split: ProjectionShape["split"],
): TowerTensor {
  return { name, outputs, inputs, count, split };
}
