/** Lower bound for reading a prompt, on any engine. */
import type { GpuSpec } from "../catalog/shapes";
import type { Layout } from "./layouts";
import type { ModelArchitecture } from "./model/architecture";
import { parametersEach, tensorInventory } from "./model/tensors";
import type { ModelRequest } from "./request";
import { nominalBits } from "./sizing";

/** Multiplication and addition. */
const OPERATIONS_PER_PARAMETER = 2;

/**
 * Largest speed-up of 4 or 8 bits over 16 on any card (8: GeForce Ada with INT4, against FP16
 * summed in FP32), whichever format the engine uses.
 */
const FASTER_IN_FEWER_BITS = 8;

/**
 * Least milliseconds to the first token of the longest prompt: every layer multiplies every token
 * with each active parameter, on all GPUs of the replica, at datasheet peak. Attention, memory and
 * network come on top, and engines stay below the peak: real times are about twice as long and
 * more.
 *
 * @returns undefined for a card without a known peak.
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

/** Parameters per prompt token: tables are looked up, and the head sees the last token only. */
function activeInLayers(architecture: ModelArchitecture): number {
  return tensorInventory(architecture)
    .filter(({ part, placement, kind }) => part === "text" && placement.at === "layer" && kind !== "vector")
    .reduce((sum, tensor) => sum + parametersEach(tensor) * tensor.activeCount, 0);
}
