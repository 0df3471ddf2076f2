/** What vLLM asks of a GPU besides room for the load: before it starts to count, and after it has filled its cache. */
import { toGiB } from "../../../names/units";
import type { Interval, MemoryParts } from "../../../planner/memory/uncertainty";
import type { StartCheck } from "../../../planner/memory/verdict";
import { CONTEXT_GIB } from "./device";
import type { KvLayout } from "./kv-groups";
import type { VllmRequest } from "./request";
import type { SchedulerLimits } from "./scheduler-defaults";
import type { VllmConstants } from "./versions";

/** Without NVLink a group holds less of it before the count begins: what two GPUs exchange is small there (versions.json, nonTorchGiB). */
const UNLINKED_GROUP_GIB = 0.9;

export interface StartNeed {
  readonly request: VllmRequest;
  /** The cards are joined by NVLink. */
  readonly linked: boolean;
  readonly constants: VllmConstants;
  readonly limits: SchedulerLimits;
  /** GiB of one GPU. */
  readonly parts: MemoryParts;
  /** What the utilization lets it fill, GiB. */
  readonly budgetGiB: number;
  /** What is not taken out of the cache's room and is allocated later: graphs and tables for penalties, GiB. */
  readonly uncountedGiB: number;
  /** What the sampler's warm-up takes after that, GiB. */
  readonly samplingGiB: number;
  /** Undefined where nothing is cached. */
  readonly layout: KvLayout | undefined;
}

/** What one process holds there differs by driver: a log of a 24 GB card has 0.19 GiB more. */
const CONTEXT_OFF = { belowGiB: 0.1, aboveGiB: 0.1 } as const;

export function startChecks(need: StartNeed): StartCheck[] {
  return need.request.device === "cpu" ? [] : [...freeMemory(need), ...onTop(need), ...recurrentStates(need)];
}

/**
 * The budget must be free when the engine starts (v1/worker/gpu_worker.py of 0.9.1 to 0.16, request_memory in
 * v1/worker/utils.py of 0.17.0 to 0.33.0; not in 0.9.0).
 */
function freeMemory({ request, linked, constants, budgetGiB }: StartNeed): StartCheck[] {
  const contextBefore = linked ? contextGiB(request) : Math.min(UNLINKED_GROUP_GIB, contextGiB(request));
  return constants.checksFreeMemory
    ? [
        {
          decides: "free memory",
          needGiB: budgetGiB + contextBefore,
          limitGiB: request.gpuMemoryGiB,
          off: CONTEXT_OFF,
        },
      ]
    : [];
}

/**
 * The cache fills the budget whatever load is planned. Then graphs are captured and, by the first runner, the sampler is warmed up for
 * max-num-seqs (compile_or_warm_up_model in v1/worker/gpu_worker.py of 0.8.0 to 0.33.0), in what is left of the card and what the
 * profiling run has given back.
 */
function onTop({ request, parts, budgetGiB, uncountedGiB, samplingGiB }: StartNeed): StartCheck[] {
  const laterGiB = uncountedGiB + samplingGiB;
  return [
    {
      decides: "graph capture",
      needGiB: budgetGiB - parts.activation + laterGiB,
      limitGiB: request.gpuMemoryGiB - contextGiB(request),
      off: offBy(parts.graphs + laterGiB),
    },
  ];
}

/**
 * Graphs and samplers may take a tenth more (cuda-graphs.ts), and a quarter less: a start-up on a 12 GB card had 0.26 GiB too little by
 * this count, and three that failed on cards of 22 GiB -0.01 to 0.27.
 */
function offBy(laterGiB: number): Interval {
  return { belowGiB: 0.2 + 0.25 * laterGiB, aboveGiB: CONTEXT_OFF.aboveGiB + 0.1 * laterGiB };
}

/**
 * With graphs of pure decoding, each of max-num-seqs requests must have a page for its state
 * (resolve_cudagraph_mode_and_sizes in config/compilation.py of 0.20.0 to 0.33.0; 0.18.0 to 0.19.1 captured fewer sizes).
 */
function recurrentStates({ request, constants, limits, parts, budgetGiB, layout }: StartNeed): StartCheck[] {
  const hasStates = layout?.groups.some(({ scope }) => scope.kind === "state") ?? false;
  if (!layout || !hasStates || !constants.statePageOfEachSequence || request.vllm?.enforceEager) {
    return [];
  }
  const kvCache = toGiB(limits.maxNumSeqs * layout.pageBytes);
  const { weights, activation, nonTorch, graphs } = parts;
  return [
    {
      decides: "recurrent states",
      needGiB: weights + activation + nonTorch + graphs + kvCache,
      limitGiB: budgetGiB,
      off: { ...parts, kvCache },
    },
  ];
}

function contextGiB({ tensorParallel, pipelineParallel }: VllmRequest): number {
  return tensorParallel * pipelineParallel > 1 ? CONTEXT_GIB.group : CONTEXT_GIB.single;
}
