import { isWithin } from "../catalog/engine-releases";
import { type EngineName, engineOf } from "../engines";
import type { ScalingSignalName } from "./scaling";

/**
 * Request signals, from the engine or the gateway; others are of processors and cards.
 * @param version of the engine.
 */
export function reportedSignals(engine: EngineName, version: string): ScalingSignalName[] {
  const { series, since } = engineOf(engine).metrics ?? {};
  const { kvCacheUsage } = series ?? {};
  const isCacheReported = kvCacheUsage !== undefined && isWithin({ since: since?.kvCacheUsage }, version);
  return [
    "queue",
    ...(isCacheReported ? (["kvCache"] as const) : []),
    // For engines without it, the gateway measures it.
    "latency",
  ];
}

/** Default signals: queued requests, and the cache they wait for. */
export function usualSignals(engine: EngineName, version: string): ScalingSignalName[] {
  return reportedSignals(engine, version).filter((signal) => signal !== "latency");
}

/** The engine reports no queue: the gateway counts running requests. */
export function queueIsAtGateway(engine: EngineName): boolean {
  return engineOf(engine).metrics?.series.requestsWaiting === undefined;
}
