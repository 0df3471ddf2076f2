/** What a replica computes on, where that decides its memory: GPUs of a card, or the CPUs of a node. */
import { BYTES_PER_GIB } from "../../../names/units";
import type { PipelineStage } from "../../../planner/memory/pipeline";
import { nonTorchBytes, type ProfilingRun } from "./activation";
import { type CardTraits, cardTraits } from "./cards";
import { type CaptureSizes, captureSizes, cudaGraphBytes } from "./cuda-graphs";
import { DEFAULT_BLOCK_TOKENS } from "./kv-groups";
import type { VllmRequest } from "./request";
import type { VllmConstants } from "./versions";

/** Device memory an engine process holds before it starts to count, by one and by several GPUs; 0.19 on H100. */
export const CONTEXT_GIB = { single: 0.51, group: 1.53 } as const;

export interface Device {
  readonly card: CardTraits;
  /** Part of the memory that the engine may fill; on CPUs the size of its cache is told to it instead. */
  readonly utilization: number;
  /** The same as the engine is told: of all memory that it sees, which is the whole card's where pods take turns. */
  readonly toldUtilization: number;
  /** Pods take turns on the card: all that a process takes counts, and the size of its cache is told to it. */
  readonly shared: boolean;
  /** Tokens per page of the KV cache unless the model needs more. */
  readonly blockTokens: number;
  /** Pages that the plan gives the pool beside those of requests: the engine keeps one for itself. */
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
 * What making a group of GPUs takes, where memory is counted from before that (countsAfterGroup); the measured constants are of
 * releases that count from after it. The start-up of 0.8.2 on two cards without NVLink shows no such share.
 */
function groupBytes({ constants, tensorParallel, pipelineParallel }: ProfilingRun, linked: boolean): number {
  const isCounted = linked && tensorParallel * pipelineParallel > 1 && !constants.countsAfterGroup;
  return isCounted ? (CONTEXT_GIB.group - CONTEXT_GIB.single) * BYTES_PER_GIB : 0;
}

function sizesOf({ vllm }: VllmRequest, sizes: CaptureSizes): CaptureSizes {
  return vllm?.graphs === "piecewise" ? { ...sizes, decoding: false } : sizes;
}

/**
 * Nothing keeps a process to its part of a card, so the part holds its CUDA context too. What it is told to use bounds what the
 * card must have free when it starts, context made (request_memory in v1/worker/utils.py of 0.33.0): what it takes from then
 * on, rounded up, so that it starts beside any others that keep to their parts.
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

/** Kernels there lay out experts as they are stored, or need a little less (fused_moe/experts/cpu_moe.py of 0.33.0). */
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
 * What its processes take beside weights, cache and activations: the API server, the engine's core and its worker, each
 * with Python and PyTorch: 2.1 GiB at rest, and the compiler while it warms up.
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
