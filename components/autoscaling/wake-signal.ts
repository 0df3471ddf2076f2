/**
 * Demand from gateway metrics: engine metrics are missing without replicas, or for some engines
 * altogether. Rationale and cold start costs: decision 0028.
 */
import {
  clusterSeries,
  freeRouteName,
  grpcCallRouteName,
  grpcStreamRouteName,
  kserveRouteName,
  modelRouteName,
} from "../../names/model-routes";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { gatewayTargetName, jobOf } from "../../names/scrape-jobs";
import { groupPath } from "../../planner/inference-nodes";
import type { ScalingPlan } from "../../planner/scaling";
import type { ModelEndpoint } from "../serving/endpoint";

/** Properties that determine a model's routes. */
export type Asked = Pick<ModelEndpoint, "model"> & Partial<Pick<ModelEndpoint, "node" | "ports" | "revisionOf">>;

/** Bridges restarts of Prometheus or KEDA, which poll every 15 s each. */
const WINDOW_SECONDS = 120;

/**
 * How long one request stays visible at the planned interval: four times what one observation
 * needs.
 */
export function seenSeconds({
  pollSeconds,
  spikeToServed,
}: Pick<ScalingPlan, "pollSeconds"> & {
  readonly spikeToServed: Pick<ScalingPlan["spikeToServed"], "scrape">;
}): number {
  return 4 * (spikeToServed.scrape + pollSeconds);
}

/**
 * Failures of requests without a replica: no address, or (up to 5 s after a replica left) no
 * connection.
 */
const UNMET = ["upstream_cx_none_healthy", "upstream_cx_connect_fail"] as const;

/** Requires a scraped proxy: otherwise demand is unknown, which is an error, not 0. */
const GATEWAY_IS_READ = `count(up{job="${jobOf(gatewayTargetName("envoy"))}",namespace="${GATEWAY_NAMESPACE}"} == 1)`;

/**
 * PromQL, one element: 1 with requests for the model, else 0. Empty if no proxy is scraped.
 *
 * Counts requests without a replica, and running or answered ones to keep a model awake. Boolean,
 * because retries count repeatedly. Excludes rejected requests (keys, quotas) and health checks.
 *
 * @param windowSeconds how long one request stays visible.
 */
export function wakeQuery(endpoint: Asked, windowSeconds = WINDOW_SECONDS): string {
  const routes = routesTo(endpoint);
  const signs = [
    ...[...UNMET, "upstream_rq_total"].map((series) => lately(series, routes, windowSeconds)),
    total("upstream_rq_active", routes),
  ];
  return `(${signs.join(" + ")} > bool 0) and on () ${GATEWAY_IS_READ}`;
}

/** PromQL, one element: recent requests without a replica, including retries. For diagnosis. */
export function unmetRequestsQuery(endpoint: Asked, windowSeconds = WINDOW_SECONDS): string {
  const routes = routesTo(endpoint);
  return UNMET.map((series) => lately(series, routes, windowSeconds)).join(" + ");
}

/**
 * PromQL, one element: running requests of the model at the gateway, including engine queues. Empty
 * if no proxy is scraped. A model includes its canary's; a canary includes its share.
 */
export function activeRequestsQuery(endpoint: Asked): string {
  const { revisionOf } = endpoint;
  const own = total("upstream_rq_active", ownRoutes(endpoint));
  const sum = revisionOf
    ? `${own} + ${revisionOf.weight} / 100 * ${total("upstream_rq_active", sharedRoutes(endpoint))}`
    : own;
  return `(${sum}) and on () ${GATEWAY_IS_READ}`;
}

/** Routes of its requests. A canary includes its model's: it must be awake for its share. */
function routesTo(endpoint: Asked): string[] {
  return [...ownRoutes(endpoint), ...sharedRoutes(endpoint)];
}

function ownRoutes({ model, node, ports, revisionOf }: Asked): string[] {
  const names = [model, ...(node ? [groupPath(node.group, revisionOf)] : [])];
  const isKserve = ports !== undefined && ports.openai === undefined && ports["kserve-http"] !== undefined;
  return [
    ...names.flatMap((name) => (isKserve ? [kserveRouteName(name)] : [modelRouteName(name), freeRouteName(name)])),
    ...(ports?.["kserve-grpc"] === undefined ? [] : [grpcCallRouteName(model), grpcStreamRouteName(model)]),
  ];
}

/** Routes of the model of which a revision has a share. */
function sharedRoutes({ revisionOf, ...endpoint }: Asked): string[] {
  return revisionOf ? ownRoutes({ ...endpoint, model: revisionOf.model }) : [];
}

/**
 * PromQL, one element: increase of a counter. A new series starts at 1, which `increase` misses, so
 * series new within the window count fully. Series seen within the hour before are not new: scrape
 * gaps wake nothing. A restarted proxy starts from zero: smaller values are new too.
 */
function lately(series: string, routes: readonly string[], windowSeconds: number): string {
  return total(series, routes, (selector) => {
    const before = `last_over_time(${selector}[1h] offset ${windowSeconds}s)`;
    return `((${selector} unless ${before}) or (${selector} < ${before}) or increase(${selector}[${windowSeconds}s]))`;
  });
}

/** PromQL, one element: a series summed over proxies and routes; 0 if none exists. */
function total(
  series: string,
  routes: readonly string[],
  each: (selector: string) => string = (selector) => selector,
): string {
  return `(sum(${clusterSeries(series, routes).map(each).join(" or ")}) or vector(0))`;
}
