/** What replicas of a model can follow, by what its engine tells of itself. */
import { type EngineName, engineOf } from "../engines";
import type { ScalingSignalName } from "./scaling";

/** Signals of requests: the engine's own, or counted at the gateway. The others are of processors and cards. */
export function reportedSignals(engine: EngineName): ScalingSignalName[] {
  const { kvCacheUsage, latencySeconds, latencySummaryMicroseconds } = engineOf(engine).metrics?.series ?? {};
  const latency = latencySeconds ?? latencySummaryMicroseconds;
  return [
    "queue",
    ...(kvCacheUsage === undefined ? [] : (["kvCache"] as const)),
    ...(latency === undefined ? [] : (["latency"] as const)),
  ];
}

/** What replicas follow where nobody says: requests that wait, and the cache that they would wait for. */
export function usualSignals(engine: EngineName): ScalingSignalName[] {
  return reportedSignals(engine).filter((signal) => signal !== "latency");
}

/** The engine does not tell how many requests wait: the gateway's count of those under way says it. */
export function queueIsAtGateway(engine: EngineName): boolean {
  return engineOf(engine).metrics?.series.requestsWaiting === undefined;
}
