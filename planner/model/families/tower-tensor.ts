import type { ProjectionShape, VisionTower } from "../architecture";

export type TowerTensor = VisionTower["tensors"][number];

export function towerTensor(
  name: string,
  outputs: number,
  inputs: number,
  count: number,
  split: ProjectionShape["split"],
): TowerTensor {
  return { name, outputs, inputs, count, split };
}
