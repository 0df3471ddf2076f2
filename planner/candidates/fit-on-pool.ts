import { imageArchitectures, imageSupports } from "../../catalog/images";
import { engineProcessors, modelImageName, spanningImageName } from "../../engines";
import { crossingProblem, poolFabric } from "../fabric";
import { ownImageProblem } from "../hardware/own-image";
import type { Capacity } from "../packing";
import type { PoolRequest } from "../request";
import type { ServerModels } from "../shared-servers";
import { fitOnCpu } from "./on-cpu";
import { fitOnGpus } from "./on-gpus";
import { refuse } from "./refuse";
import type { Fit } from "./types";

/**
 * The cheapest way to run one replica on `pool`, or the nearest miss.
 *
 * @param node capacity for pods of one node.
 * @param maxNodes nodes that one replica may take.
 */
export function fitOnPool(server: ServerModels, pool: PoolRequest, node: Capacity, maxNodes = pool.maxNodes): Fit {
  const model = server.host;
  if (pool.shape.denied) {
    return refuse(pool, `${pool.shape.name} cannot be used: ${pool.shape.denied}`);
  }
  const { gpu, cpu, name } = pool.shape;
  const image = modelImageName(model, gpu?.vendor ?? "cpu");
  if (!image) {
    const runsOn = engineProcessors(model.engine).join(", ");
    return refuse(
      pool,
      `${model.engine} does not run on the ${gpu?.model ?? "CPUs"} of ${name}, only on: ${runsOn}`,
      "take a pool of those, or another engine",
    );
  }
  const ownImage = model.image && ownImageProblem(model.image, pool.shape);
  if (ownImage) {
    return refuse(pool, ownImage.reason, ownImage.remedy);
  }
  if (!model.image && !imageSupports(image, cpu.arch)) {
    return refuse(
      pool,
      `the image of ${model.engine} is not made for ${cpu.arch}, the CPU architecture of ${name}`,
      `take a pool of ${imageArchitectures(image).join(" or ")} machines, or another engine`,
    );
  }
  if (!gpu) {
    return fitOnCpu(server, pool, node);
  }
  const spanning = spanningImageName(model, gpu.vendor, poolFabric(pool)?.kind) ?? image;
  const crossing = crossingProblem(pool, model.image ?? spanning, model.node !== undefined);
  return fitOnGpus(server, pool, gpu, node, { maxNodes, crossing });
}
