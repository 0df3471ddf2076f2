/**
 * GPU memory checks of vLLM besides the load: before it measures, and after the cache is filled.
 */
import { toGiB } from "../../../names/units";
import { type Interval, type MemoryParts, totalOf } from "../../../planner/memory/uncertainty";
import type { StartCheck } from "../../../planner/memory/verdict";
import { CONTEXT_GIB } from "./device";
import type { KvLayout } from "./kv-groups";
import type { VllmRequest } from "./request";
import type { SchedulerLimits } from "./scheduler-defaults";
import type { VllmConstants } from "./versions";

/** Without NVLink, since 0.11.0. */
const UNLINKED_GROUP_GIB = 0.9;
/** Larger groups exchange through the host, which needs memory during graph capture. */
const UNLINKED_GRAPHS_GIB = 1.53;

export interface StartNeed {
  readonly request: VllmRequest;
  /** NVLink joins the cards. */
  readonly linked: boolean;
  readonly constants: VllmConstants;
  readonly limits: SchedulerLimits;
  readonly parts: MemoryParts;
  /** Memory that the utilization allows, GiB. */
  readonly budgetGiB: number;
  /** Later allocations outside the cache's share: graphs and penalty tables, GiB. */
  readonly uncountedGiB: number;
  /** Page tables, allocated with the cache, GiB. */
  readonly tablesGiB: number;
  /** Sampler warm-up after that, GiB. */
  readonly samplingGiB: number;
  /** Undefined without a cache. */
  readonly layout: KvLayout | undefined;
  /** Cache size given to the engine with time slicing, GiB. @default it fills the budget */
  readonly toldCacheGiB?: number;
}

/** Context memory differs by driver: a log of a 24 GB card has 0.19 GiB more. */
const CONTEXT_OFF = { belowGiB: 0.1, aboveGiB: 0.1 } as const;

export function startChecks(need: StartNeed): StartCheck[] {
  if (need.request.device === "cpu") {
    return [];
  }
  // A time-sliced share includes context and all graphs, with a matching utilization (device.ts).
  const ofCard = need.toldCacheGiB === undefined ? [...freeMemory(need), ...onTop(need)] : [];
  return [...ofCard, ...recurrentStates(need)];
}

/**
 * The budget must be free at start (v1/worker/gpu_worker.py of 0.9.1 to 0.16, request_memory in
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
 * The cache fills the budget regardless of the planned load. Page tables, graph capture and sampler
 * warm-up for max-num-seqs follow (compile_or_warm_up_model in v1/worker/gpu_worker.py of 0.8.0 to
 * 0.33.0). They use the card's remainder and memory that the profiling run freed.
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
 * Graphs and samplers may need a tenth more (cuda-graphs.ts), or a quarter less. By this estimate a
 * start-up on a 12 GB card lacked 0.26 GiB, and three failed ones on 22 GiB cards lacked -0.01 to
 * 0.27.
 */
function offBy(laterGiB: number): Interval {
  return { belowGiB: 0.2 + 0.25 * laterGiB, aboveGiB: CONTEXT_OFF.aboveGiB + 0.1 * laterGiB };
}

/**
 * With graphs of pure decoding, each of max-num-seqs requests needs a state page
 * (resolve_cudagraph_mode_and_sizes in config/compilation.py of 0.20.0 to 0.33.0; 0.18.0 to 0.19.1
 * captured fewer sizes).
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
 * Memory before measurement begins. Up to 0.10.2 that is before the group is created, so the budget
 * includes the group (v1/worker/gpu_worker.py: the snapshot precedes
 * init_worker_distributed_environment in 0.9.1 to 0.10.2, follows it since 0.11.0).
 */
function contextGiB({ request, linked, constants }: StartNeed): number {
  const isGroup = request.tensorParallel * request.pipelineParallel > 1;
  if (!isGroup || !constants.countsAfterGroup) {
    return CONTEXT_GIB.single;
  }
  return linked ? CONTEXT_GIB.group : UNLINKED_GROUP_GIB;
}
