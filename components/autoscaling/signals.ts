/**
 * What a model's signals are asked by: PromQL with one element, or none where something is wrong. KEDA counts none as an error, and
 * then keeps the replicas that there are.
 */
import { engineOf } from "../../engines";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES, SIGNAL_SERIES } from "../../names/recorded-series";
import type { ScalingSignalName } from "../../planner/scaling";
import { queueIsAtGateway } from "../../planner/scaling-signals";
import type { ModelEndpoint } from "../serving/endpoint";
import type { ScaledModel } from "./scaled-model";
import { activeRequestsQuery } from "./wake-signal";

/** In the signal's unit: `queue` of all replicas together, the others as each of them has it. */
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
      // Where nobody asks, it is no number: not more than any target.
      const latency = `${SIGNAL_SERIES.latency}${of(endpoint)}`;
      return whereAwake(`max(${latency} >= 0) or 0 * count(${latency})`, scaled);
    }
    default:
      return whereAwake(`max(${SIGNAL_SERIES[on]}${of(endpoint)})`, scaled);
  }
}

/**
 * Replicas that the requests which are computed now would fill. Queues are empty while replicas keep up, however much these have to do:
 * scaled by queues alone, a busy model would lose replicas, and get them back as soon as requests wait again.
 *
 * @returns nothing where the signal `queue` says so by itself: where it counts all requests that are under way.
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
 * Of a model that sleeps, engines report nothing, and nothing waits. That is so while Prometheus knows the model's namespace and no
 * replica in it is ready; else a series that is missing is an error, as it always is of models that never sleep.
 */
function whereAwake(query: string, { endpoint, scaling }: ScaledModel): string {
  if (scaling.min > 0) {
    return query;
  }
  const noneReady = `0 * max(${MODEL_NAMESPACE_SERIES}${of(endpoint)}) unless max(${READY_REPLICAS_SERIES}${of(endpoint)}) > 0`;
  return `${query} or (${noneReady})`;
}
