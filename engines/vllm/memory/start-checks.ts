/** What vLLM asks of a GPU besides room for the load: before it starts to count, and after it has filled its cache. */
import { toGiB } from "../../../names/units";
import { type Interval, type MemoryParts, totalOf } from "../../../planner/memory/uncertainty";
import type { StartCheck } from "../../../planner/memory/verdict";
import { CONTEXT_GIB } from "./device";
import type { KvLayout } from "./kv-groups";
import type { VllmRequest } from "./request";
import type { SchedulerLimits } from "./scheduler-defaults";
import type { VllmConstants } from "./versions";

/** Of a group without NVLink, from 0.11.0 on. */
const UNLINKED_GROUP_GIB = 0.9;
/** More of its GPUs exchange through the host, which takes memory when graphs are captured. */
const UNLINKED_GRAPHS_GIB = 1.53;

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
  /** Tables of pages, made with the cache, GiB. */
  readonly tablesGiB: number;
  /** What the sampler's warm-up takes after that, GiB. */
  readonly samplingGiB: number;
  /** Undefined where nothing is cached. */
  readonly layout: KvLayout | undefined;
  /** Pods take turns on the card, and the engine is told the size of its cache, GiB. @default it fills the budget */
  readonly toldCacheGiB?: number;
}

/** What one process holds there differs by driver: a log of a 24 GB card has 0.19 GiB more. */
const CONTEXT_OFF = { belowGiB: 0.1, aboveGiB: 0.1 } as const;

export function startChecks(need: StartNeed): StartCheck[] {
  if (need.request.device === "cpu") {
    return [];
  }
  // A part of a card holds the context and all graphs, and its utilization is told accordingly (device.ts).
  const ofCard = need.toldCacheGiB === undefined ? [...freeMemory(need), ...onTop(need)] : [];
  return [...ofCard, ...recurrentStates(need)];
}

/**
 * The budget must be free when the engine starts (v1/worker/gpu_worker.py of 0.9.1 to 0.16, request_memory in
 * v1/worker/utils.py of 0.17.0 to 0.33.0; not in 0.9.0).
 */
function freeMemory(need: StartNeed): StartCheck[] {
  const { request, linked, constants, budgetGiB } = need;
  const handlesGiB = constants.uncountedHandlesGiB[linked ? "linked" : "other"];
  return constants.checksFreeMemory
    ? [
        {
          decides: "free memory",
          needGiB: budgetGiB + contextGiB(need),
          limitGiB: request.gpuMemoryGiB,
          off: { ...CONTEXT_OFF, aboveGiB: CONTEXT_OFF.aboveGiB + handlesGiB },
        },
      ]
    : [];
}

/**
 * The cache fills the budget whatever load is planned. Tables of its pages are made, graphs are captured and the sampler is warmed up for max-num-seqs
 * (compile_or_warm_up_model in v1/worker/gpu_worker.py of 0.8.0 to 0.33.0), in what is left of the card and what the
 * profiling run has given back.
 */
function onTop(need: StartNeed): StartCheck[] {
  const { request, linked, parts, budgetGiB, uncountedGiB, tablesGiB, samplingGiB, layout } = need;
  if (layout === undefined) {
    return [];
  }
  const laterGiB = uncountedGiB + samplingGiB;
  const exchangesThroughHost = !linked && request.tensorParallel >= 4 && laterGiB > samplingGiB;
  const besides = exchangesThroughHost ? Math.max(UNLINKED_GRAPHS_GIB, contextGiB(need)) : contextGiB(need);
  return [
    {
      decides: "graph capture",
      needGiB: budgetGiB - parts.activation + tablesGiB + laterGiB,
      limitGiB: request.gpuMemoryGiB - besides,
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
function recurrentStates(need: StartNeed): StartCheck[] {
  const { request, constants, limits, parts, budgetGiB, layout, toldCacheGiB } = need;
  const hasStates = layout?.groups.some(({ scope }) => scope.kind === "state") ?? false;
  const { enforceEager, graphs: captured } = request.vllm ?? {};
  if (!layout || !hasStates || !constants.statePageOfEachSequence || enforceEager || captured !== undefined) {
    return [];
  }
  const kvCache = toGiB(limits.maxNumSeqs * layout.pageBytes);
  const needed: MemoryParts = { ...parts, kvCache };
  return [
    toldCacheGiB === undefined
      ? { decides: "recurrent states", needGiB: totalOf(needed), limitGiB: budgetGiB, off: needed }
      : { decides: "recurrent states", needGiB: kvCache, limitGiB: toldCacheGiB, off: { belowGiB: 0, aboveGiB: 0 } },
  ];
}

/**
 * Before the count begins: up to 0.10.2 it begins before the group is made (v1/worker/gpu_worker.py: the snapshot stands before
 * init_worker_distributed_environment in 0.9.1 to 0.10.2, behind it from 0.11.0 on), and what a group takes is in the budget.
 */
function contextGiB({ request, linked, constants }: StartNeed): number {
  const isGroup = request.tensorParallel * request.pipelineParallel > 1;
  if (!isGroup || !constants.countsAfterGroup) {
    return CONTEXT_GIB.single;
  }
  return linked ? CONTEXT_GIB.group : UNLINKED_GROUP_GIB;
}
