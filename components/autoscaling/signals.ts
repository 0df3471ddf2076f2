/**
 * PromQL for signals: one element, or none on failure, on which KEDA keeps the current replicas.
 */
import { engineOf } from "../../engines";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES, SIGNAL_SERIES } from "../../names/recorded-series";
import type { ScalingSignalName } from "../../planner/scaling";
import { queueIsAtGateway } from "../../planner/scaling-signals";
import type { ModelEndpoint } from "../serving/endpoint";
import type { ScaledModel } from "./scaled-model";
import { activeRequestsQuery } from "./wake-signal";

/** Unit of the signal: `queue` is the total of all replicas, others are per replica. */
export function signalQuery(on: ScalingSignalName, scaled: ScaledModel): string {
  const { endpoint } = scaled;
  const { requestsWaiting, kvCacheUsage } = seriesOf(endpoint);
  switch (on) {
    case "queue":
      return queueIsAtGateway(endpoint.engine)
        ? activeRequests(scaled)
        : whereAwake(`sum(${requestsWaiting}${of(endpoint)})`, scaled);
    case "kvCache":
      return whereAwake(`100 * avg(${kvCacheUsage}${of(endpoint)})`, scaled);
    case "latency": {
      // Without requests it is NaN: not above any target.
      const latency = `${SIGNAL_SERIES.latency}${of(endpoint)}`;
      return whereAwake(`max(${latency} >= 0) or 0 * count(${latency})`, scaled);
    }
    default:
      return whereAwake(`max(${SIGNAL_SERIES[on]}${of(endpoint)})`, scaled);
  }
}

/**
 * Replicas that the running requests would fill: by queues alone, scaling would remove busy
 * replicas that keep up.
 *
 * @returns undefined if the signal `queue` already counts running requests.
 */
export function busyQuery(scaled: ScaledModel): string | undefined {
  const { endpoint, model, scaling } = scaled;
  const { requestsRunning } = seriesOf(endpoint);
  if (queueIsAtGateway(endpoint.engine)) {
    return undefined;
  }
  const running =
    requestsRunning === undefined
      ? activeRequests(scaled)
      : whereAwake(`sum(${requestsRunning}${of(endpoint)})`, scaled);
  return `(${running}) / ${scaling.atOnce ?? model.concurrency}`;
}

function activeRequests({ served }: ScaledModel): string {
  return served.map((endpoint) => `(${activeRequestsQuery(endpoint)})`).join(" + ");
}

function seriesOf({ engine }: ModelEndpoint) {
  return engineOf(engine).metrics?.series ?? {};
}

function of({ namespace }: ModelEndpoint): string {
  return `{namespace="${namespace}"}`;
}

/**
 * Engines of sleeping models report no metrics: 0 while Prometheus knows the namespace without
 * ready replicas. Otherwise a missing series is an error.
 */
function whereAwake(query: string, { endpoint, scaling }: ScaledModel): string {
  if (scaling.min > 0) {
    return query;
  }
  const noneReady = `0 * max(${MODEL_NAMESPACE_SERIES}${of(endpoint)}) unless max(${READY_REPLICAS_SERIES}${of(endpoint)}) > 0`;
  return `${query} or (${noneReady})`;
}
