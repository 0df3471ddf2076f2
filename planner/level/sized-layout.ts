import type { MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import { estimateMemory } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import type { Layout } from "../layouts";
import type { MemoryEstimate } from "../memory/types";
import { keepsStates } from "../model/architecture";
import type { ModelRequest } from "../request";
import { hasTimes } from "../service-level";
import type { ServerModels } from "../shared-servers";
import { replicaSpeed, type SpeedAnswer } from "./replica-speed";
import { concurrencyOf, isDerived, isSized, mostConcurrency, type Sizing, sizingOf } from "./sizing";

/**
 * Planned requests of full length: as set, or as traffic needs and memory allows.
 *
 * @param requestFor memory request of a model in this layout.
 */
export function plannedConcurrency(
  server: ServerModels,
  shape: MachineShape,
  layout: Layout,
  requestFor: (model: ModelRequest) => MemoryRequest,
): number {
  const { host } = server;
  if (host.traffic === undefined || !isDerived(host, "concurrency")) {
    return host.concurrency;
  }
  const asked = requestFor(host);
  const requestOf = (concurrency: number): MemoryRequest => ({ ...asked, concurrency });
  const most = mostConcurrency((each) => estimateMemory(requestOf(each)).verdict.answer === "fits");
  if (most === undefined) {
    return 1;
  }
  const request = requestOf(most);
  const answer = speedOn(server, shape, layout, { request, estimate: estimateMemory(request) });
  return "reason" in answer ? host.concurrency : concurrencyOf(sizingOf(host, answer.speed), most);
}

/** Standard deviations above a Poisson mean: exceeded in fewer than two of a thousand moments. */
const BURST = 3;

/**
 * Limit on concurrent requests: those at the level's rate, with bursts. Excess waits, where it
 * would slow all others, and where autoscaling sees it. Undefined: the engine's own limit.
 *
 * @param request memory request without the limit.
 */
function plannedBatch(
  { traffic, serviceLevel = {} }: ModelRequest,
  request: MemoryRequest,
  sizing: Sizing | undefined,
): number | undefined {
  if (traffic === undefined || !hasTimes(serviceLevel) || !sizing || !Number.isFinite(sizing.needed)) {
    return undefined;
  }
  const { mostSequences } = sizing.rate;
  const most = Math.max(request.concurrency, Math.ceil(mostSequences + BURST * Math.sqrt(mostSequences)));
  const { batchLimits } = engineOf(request.engine.name);
  const own = batchLimits?.(request).sequences ?? Number.POSITIVE_INFINITY;
  const isHeard = batchLimits?.({ ...request, maxNumSeqs: most }).sequences === most;
  return isHeard && most < own ? most : undefined;
}

/**
 * Limit on concurrent requests by memory for recurrent states: the engine would not start with its
 * own. Undefined: it starts, or with no limit at all.
 *
 * @param request memory request without the limit.
 */
function batchOfStates(request: MemoryRequest): number | undefined {
  const startsWith = (most: number | undefined) =>
    estimateMemory(limited(request, most)).verdict.decides !== "recurrent states";
  if (!keepsStates(request.architecture) || startsWith(request.maxNumSeqs)) {
    return undefined;
  }
  const most = mostConcurrency(startsWith);
  return most !== undefined && most >= request.concurrency ? most : undefined;
}

/** Memory request with the limit from traffic or memory. */
export function withBatch(
  server: ServerModels,
  shape: MachineShape,
  layout: Layout,
  request: MemoryRequest,
): { readonly request: MemoryRequest; readonly maxNumSeqs?: number; readonly batchNotes: readonly string[] } {
  const { maxNumSeqs: said, args = {} } = server.host;
  if (said !== undefined || "max-num-seqs" in args) {
    return { request, batchNotes: [] };
  }
  const ofTraffic = batchOfTraffic(server, shape, layout, request);
  const asked = limited(request, ofTraffic);
  const ofStates = batchOfStates(asked);
  const maxNumSeqs = ofStates ?? ofTraffic;
  return {
    request: limited(request, maxNumSeqs),
    ...(maxNumSeqs !== undefined && { maxNumSeqs }),
    batchNotes:
      ofStates === undefined
        ? []
        : [`at most ${ofStates} requests run at once: with more, memory may lack places for their recurrent states`],
  };
}

function limited(request: MemoryRequest, maxNumSeqs: number | undefined): MemoryRequest {
  return maxNumSeqs === undefined ? request : { ...request, maxNumSeqs };
}

function batchOfTraffic(
  server: ServerModels,
  shape: MachineShape,
  layout: Layout,
  request: MemoryRequest,
): number | undefined {
  const { host } = server;
  if (host.traffic === undefined) {
    return undefined;
  }
  const speed = speedOn(server, shape, layout, { request, estimate: estimateMemory(request) });
  return plannedBatch(host, request, sizingFor(host, speed));
}

/** The host's speed. */
export function speedOn(
  { host, guests }: ServerModels,
  shape: MachineShape,
  layout: Layout,
  asked: { readonly request: MemoryRequest; readonly estimate: Pick<MemoryEstimate, "kvTokens"> },
): SpeedAnswer {
  if (guests.length > 0) {
    return { reason: "how models on one server slow each other was not measured" };
  }
  return replicaSpeed(host, shape, layout, asked);
}

/** Undefined without traffic or level, or with unknown speed. */
export function sizingFor(host: ModelRequest, answer: SpeedAnswer): Sizing | undefined {
  return isSized(host) && "speed" in answer ? sizingOf(host, answer.speed) : undefined;
}
