/** Device of a replica as far as it affects memory: GPUs of a card, or CPUs of a node. */
import { BYTES_PER_GIB } from "../../../names/units";
import type { PipelineStage } from "../../../planner/memory/pipeline";
import { nonTorchBytes, type ProfilingRun } from "./activation";
import { type CardTraits, cardTraits } from "./cards";
import { type CaptureSizes, captureSizes, cudaGraphBytes } from "./cuda-graphs";
import { DEFAULT_BLOCK_TOKENS } from "./kv-groups";
import type { VllmRequest } from "./request";
import type { VllmConstants } from "./versions";

/**
 * Device memory of an engine process before it measures, for one and several GPUs; 0.19 on H100.
 */
export const CONTEXT_GIB = { single: 0.51, group: 1.53 } as const;

export interface Device {
  readonly card: CardTraits;
  /** Share of memory that the engine may fill; on CPUs it gets a cache size instead. */
  readonly utilization: number;
  /**
   * Value for the engine: relative to all visible memory, which is the whole card with time
   * slicing.
   */
  readonly toldUtilization: number;
  /** Time slicing: all process memory counts, and the engine gets a cache size. */
  readonly shared: boolean;
  /** Tokens per KV cache page, unless the model needs more. */
  readonly blockTokens: number;
  /** Extra pages of the planned pool: the engine reserves one. */
  readonly sparePages: number;
  nonTorchBytes(run: ProfilingRun): number;
  graphBytes(run: ProfilingRun, stage: PipelineStage): number;
}

export function deviceOf(request: VllmRequest, constants: VllmConstants): Device {
  return request.device === "cpu" ? cpus(request) : gpus(request, constants);
}

function gpus(request: VllmRequest, constants: VllmConstants): Device {
  const card = cardTraits(request);
  const utilization = request.utilization ?? constants.defaultUtilization;
  const whole: Device = {
    card,
    utilization,
    toldUtilization: utilization,
    shared: false,
    blockTokens: DEFAULT_BLOCK_TOKENS,
    sparePages: 0,
    nonTorchBytes: (run) => nonTorchBytes(run, card.linked) + groupBytes(run, card.linked),
    graphBytes: ({ architecture, limits }, stage) =>
      request.vllm?.enforceEager || request.vllm?.graphs === "none"
        ? 0
        : cudaGraphBytes({
            architecture,
            stage,
            limits,
            sizes: sizesOf(request, captureSizes(constants, architecture, card)),
          }),
  };
  const { cardMemoryGiB } = request;
  return cardMemoryGiB === undefined ? whole : onTurns(whole, request.gpuMemoryGiB, cardMemoryGiB);
}

/**
 * Memory of creating a GPU group, for releases that measure before it (countsAfterGroup); the
 * constants come from releases that measure after. The start-up of 0.8.2 on two cards without
 * NVLink shows none.
 */
function groupBytes({ constants, tensorParallel, pipelineParallel }: ProfilingRun, linked: boolean): number {
  const isCounted = linked && tensorParallel * pipelineParallel > 1 && !constants.countsAfterGroup;
  return isCounted ? (CONTEXT_GIB.group - CONTEXT_GIB.single) * BYTES_PER_GIB : 0;
}

function sizesOf({ vllm }: VllmRequest, sizes: CaptureSizes): CaptureSizes {
  return vllm?.graphs === "piecewise" ? { ...sizes, decoding: false } : sizes;
}

/**
 * Processes are not confined to their share of a card, so it includes the CUDA context. The
 * utilization is a lower bound of free memory at start (request_memory in v1/worker/utils.py of
 * 0.33.0). It covers later allocations, rounded up, so that the process starts alongside others.
 */
function onTurns(whole: Device, partGiB: number, cardGiB: number): Device {
  const takenGiB = partGiB * whole.utilization - CONTEXT_GIB.single;
  return {
    ...whole,
    toldUtilization: Math.ceil((takenGiB / cardGiB) * 10_000) / 10_000,
    shared: true,
    sparePages: 1,
    nonTorchBytes: (run) => whole.nonTorchBytes(run) + CONTEXT_GIB.single * BYTES_PER_GIB,
  };
}

/**
 * CPU kernels store experts unchanged, or need slightly less (fused_moe/experts/cpu_moe.py of
 * 0.33.0).
 */
const CPU_TRAITS: CardTraits = {
  linked: false,
  expertKernel: "triton-rocm",
  fp8ExpertsOnFlashInfer: false,
  known: true,
  generation: 0,
};

/** platforms/cpu.py of 0.32.0 and 0.33.0; latent attention has 16 on processors without AMX. */
const CPU_BLOCK_TOKENS = { latent: 16, other: 128 } as const;

/**
 * Process memory besides weights, cache and activations: API server, engine core and worker, each
 * with Python and PyTorch. 2.1 GiB idle, plus the compiler during warm-up.
 */
const CPU_PROCESSES_GIB = 2.5;

function cpus({ architecture }: VllmRequest): Device {
  const isLatent = architecture.layerSpecs.some(({ mixer }) => mixer.kind === "latent");
  return {
    card: CPU_TRAITS,
    utilization: 1,
    toldUtilization: 1,
    shared: false,
    blockTokens: CPU_BLOCK_TOKENS[isLatent ? "latent" : "other"],
    sparePages: 1,
    nonTorchBytes: () => CPU_PROCESSES_GIB * BYTES_PER_GIB,
    graphBytes: () => 0,
  };
}
