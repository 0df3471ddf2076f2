/** The least time that the reading of a prompt takes, whatever the engine does. */
import type { GpuSpec } from "../catalog/shapes";
import type { Layout } from "./layouts";
import type { ModelArchitecture } from "./model/architecture";
import { parametersEach, tensorInventory } from "./model/tensors";
import type { ModelRequest } from "./request";
import { nominalBits } from "./sizing";

/** Multiplication and addition. */
const OPERATIONS_PER_PARAMETER = 2;

/**
 * No card computes more than so many times faster in 4 or 8 bits than in 16 (8: GeForce of the Ada generation with INT4, against
 * FP16 that is summed in FP32). Which of them an engine takes for such weights is not asked.
 */
const FASTER_IN_FEWER_BITS = 8;

/**
 * Milliseconds that the longest prompt takes at least until its first token: every layer multiplies every token with each parameter
 * that is active, on all GPUs of the replica, at the peak of their datasheet. Attention, memory and network come on top,
 * and no engine reaches the peak, so that real ones take about twice as long and more.
 *
 * @returns undefined for a card whose peak nobody here has read.
 */
export function leastPrefillMs(
  { architecture, quantization, contextTokens }: Pick<ModelRequest, "architecture" | "quantization" | "contextTokens">,
  { gpusPerNode, nodesPerReplica }: Pick<Layout, "gpusPerNode" | "nodesPerReplica">,
  gpu: GpuSpec,
): number | undefined {
  if (gpu.tflops === undefined) {
    return undefined;
  }
  const isSmaller = nominalBits({ architecture, ...(quantization !== undefined && { quantization }) }) < 16;
  const peak = gpu.tflops.dense16 * 1e12 * (isSmaller ? FASTER_IN_FEWER_BITS : 1) * gpusPerNode * nodesPerReplica;
  const operations = OPERATIONS_PER_PARAMETER * activeInLayers(architecture) * (contextTokens - 1);
  return (operations / peak) * 1000;
}

/** Parameters that each token of a prompt meets: tables are looked up, and the head sees the last token alone. */
function activeInLayers(architecture: ModelArchitecture): number {
  return tensorInventory(architecture)
    .filter(({ part, placement, kind }) => part === "text" && placement.at === "layer" && kind !== "vector")
    .reduce((sum, tensor) => sum + parametersEach(tensor) * tensor.activeCount, 0);
}
