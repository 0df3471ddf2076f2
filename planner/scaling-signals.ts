/** What replicas of a model can follow, by what its engine tells of itself. */
import { isWithin } from "../catalog/engine-releases";
import { type EngineName, engineOf } from "../engines";
import type { ScalingSignalName } from "./scaling";

/**
 * Signals of requests: the engine's own, or counted at the gateway. The others are of processors and cards.
 * @param version of the engine.
 */
export function reportedSignals(engine: EngineName, version: string): ScalingSignalName[] {
  const { series, since } = engineOf(engine).metrics ?? {};
  const { kvCacheUsage } = series ?? {};
  const isCacheReported = kvCacheUsage !== undefined && isWithin({ since: since?.kvCacheUsage }, version);
  return [
    "queue",
    ...(isCacheReported ? (["kvCache"] as const) : []),
    // Of engines that report none, the gateway measures it.
    "latency",
  ];
}

/** What replicas follow where nobody says: requests that wait, and the cache that they would wait for. */
export function usualSignals(engine: EngineName, version: string): ScalingSignalName[] {
  return reportedSignals(engine, version).filter((signal) => signal !== "latency");
}

/** The engine does not tell how many requests wait: the gateway's count of those under way says it. */
export function queueIsAtGateway(engine: EngineName): boolean {
  return engineOf(engine).metrics?.series.requestsWaiting === undefined;
}
