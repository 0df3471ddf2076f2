/** What the rules of memory need to know of a card: from the catalogue, or guessed where that has no such card. */
import { findGpus } from "../../../catalog/find-gpu";
import type { GpuModel } from "../../../catalog/shapes";
import type { ExpertKernel } from "./expert-kernels";
import type { MoeBackend } from "./options";
import { seenMemoryGiB, type VllmRequest } from "./request";

export interface CardTraits {
  /** On a board with NVLink, for which collective communication keeps larger buffers. */
  readonly linked: boolean;
  readonly expertKernel: ExpertKernel;
  /** FP8 experts run on FlashInfer's kernels. */
  readonly fp8ExpertsOnFlashInfer: boolean;
  /** The catalogue has the card. */
  readonly known: boolean;
  /** Undefined where the catalogue has no such card. */
  readonly vendor?: GpuModel["vendor"];
  /** Whole part of NVIDIA's compute capability, by which kernels differ; 0: of another vendor, or not known. */
  readonly generation: number;
}

/** From this size on, a card that nobody named counts as one of a data centre, GiB: what needs more memory. */
const DATA_CENTRE_GIB = 70;

type NamedCard = Pick<VllmRequest, "gpuModel" | "gpuMemoryGiB" | "cardMemoryGiB">;

/** A name that means several cards takes the traits that need more memory. */
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

/** What `--moe-backend` asks for (0.19.1 and 0.33.0: fused_moe/oracle/mxfp4.py, fp8.py). */
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

/** 9 of Hopper's 9.0; 0 where it is not known, and for AMD's. */
function majorCapability({ abilities }: GpuModel): number {
  return Math.floor(abilities?.computeCapability ?? 0);
}

/** As vLLM asks, by compute capability (0.19.0 and 0.33.0: fused_moe/oracle/mxfp4.py). */
function expertKernelOf(card: GpuModel): ExpertKernel {
  if (card.vendor === "amd") {
    return "triton-rocm";
  }
  const generation = majorCapability(card);
  return generation === 9 ? "triton" : generation === 10 ? "tensorrt-llm" : "marlin";
}

const named = new Map<string, readonly GpuModel[]>();

/** A planner asks for few cards, very often. */
export function cardsNamed(name: string): readonly GpuModel[] {
  const found = named.get(name) ?? findGpus(name);
  named.set(name, found);
  return found;
}
