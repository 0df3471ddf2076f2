/** Card properties for memory rules: from the catalogue, or guessed for unknown cards. */
import { findGpus } from "../../../catalog/find-gpu";
import type { GpuModel } from "../../../catalog/shapes";
import type { ExpertKernel } from "./expert-kernels";
import type { MoeBackend } from "./options";
import { seenMemoryGiB, type VllmRequest } from "./request";

export interface CardTraits {
  /** NVLink board, with larger collective communication buffers. */
  readonly linked: boolean;
  readonly expertKernel: ExpertKernel;
  readonly fp8ExpertsOnFlashInfer: boolean;
  readonly known: boolean;
  /** Undefined for unknown cards. */
  readonly vendor?: GpuModel["vendor"];
  /** Major NVIDIA compute capability, which selects kernels; 0 for other or unknown cards. */
  readonly generation: number;
}

/** GiB from which an unnamed card counts as a data centre card, which needs more memory. */
const DATA_CENTRE_GIB = 70;

type NamedCard = Pick<VllmRequest, "gpuModel" | "gpuMemoryGiB" | "cardMemoryGiB">;

/** An ambiguous name gets the traits that need more memory. */
export function cardTraits(request: NamedCard & Pick<VllmRequest, "vllm">): CardTraits {
  const traits = traitsOf(request);
  const backend = request.vllm?.moeBackend;
  if (backend === undefined) {
    return traits;
  }
  return {
    ...traits,
    expertKernel: KERNEL_OF[backend],
    fp8ExpertsOnFlashInfer: traits.fp8ExpertsOnFlashInfer && backend === "flashinfer_trtllm",
  };
}

/** Kernels of `--moe-backend` (0.19.1 and 0.33.0: fused_moe/oracle/mxfp4.py, fp8.py). */
const KERNEL_OF: Readonly<Record<MoeBackend, ExpertKernel>> = {
  triton: "triton",
  marlin: "marlin",
  flashinfer_trtllm: "tensorrt-llm",
};

function traitsOf({ gpuModel, ...memory }: NamedCard): CardTraits {
  const [card, ...others] = gpuModel === undefined ? [] : cardsNamed(gpuModel);
  if (card === undefined) {
    const linked = seenMemoryGiB(memory) >= DATA_CENTRE_GIB;
    return {
      linked,
      expertKernel: linked ? "triton" : "marlin",
      fp8ExpertsOnFlashInfer: linked,
      known: false,
      generation: 0,
    };
  }
  return {
    linked: [card, ...others].some(({ nvlinkBoard }) => nvlinkBoard === true),
    expertKernel: expertKernelOf(card),
    // fused_moe/flashinfer_cutlass_moe.py of 0.17.0, experts/flashinfer_cutlass_moe.py of 0.33.0
    fp8ExpertsOnFlashInfer: (card.abilities?.computeCapability ?? 0) >= 9,
    known: true,
    vendor: card.vendor,
    generation: majorCapability(card),
  };
}

/** 9 for Hopper's 9.0; 0 if unknown, and for AMD. */
function majorCapability({ abilities }: GpuModel): number {
  return Math.floor(abilities?.computeCapability ?? 0);
}

/** vLLM's choice by compute capability (0.19.0 and 0.33.0: fused_moe/oracle/mxfp4.py). */
function expertKernelOf(card: GpuModel): ExpertKernel {
  if (card.vendor === "amd") {
    return "triton-rocm";
  }
  const generation = majorCapability(card);
  return generation === 9 ? "triton" : generation === 10 ? "tensorrt-llm" : "marlin";
}

const named = new Map<string, readonly GpuModel[]>();

/** Cached: planners request few cards very often. */
export function cardsNamed(name: string): readonly GpuModel[] {
  const found = named.get(name) ?? findGpus(name);
  named.set(name, found);
  return found;
}
