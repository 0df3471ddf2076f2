/**
 * What only the gateway knows of the demand for a model: its engine's own series are gone while no replica runs, and some engines have none.
 * Decision 0028 says why the gateway counts, and what a sleeping model costs its first callers.
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

/** What says by which routes requests reach a model. */
export type Asked = Pick<ModelEndpoint, "model"> & Partial<Pick<ModelEndpoint, "node" | "ports" | "revisionOf">>;

/** What bridges a restart of Prometheus or KEDA, which look every 15 s each. */
const WINDOW_SECONDS = 120;

/** How long one request should be seen by who looks as often as planned: four times what it takes to be seen once. */
export function seenSeconds({
  pollSeconds,
  spikeToServed,
}: Pick<ScalingPlan, "pollSeconds"> & {
  readonly spikeToServed: Pick<ScalingPlan["spikeToServed"], "scrape">;
}): number {
  return 4 * (spikeToServed.scrape + pollSeconds);
}

/** Ways of requests that found no replica: nobody has the Service's name, or (until proxies have forgotten a replica that went, 5 s) nobody listens there. */
const UNMET = ["upstream_cx_none_healthy", "upstream_cx_connect_fail"] as const;

/** At least one of them is read: otherwise nobody knows whether there are requests, which is an error, and not 0. */
const GATEWAY_IS_READ = `count(up{job="${jobOf(gatewayTargetName("envoy"))}",namespace="${GATEWAY_NAMESPACE}"} == 1)`;

/**
 * PromQL, one element: 1 where somebody asks for the model, 0 where nobody does. No element where no proxy is read.
 *
 * Asking is a request that found no replica, and, so that a model does not fall asleep while it works, one that reached a replica or is
 * under way there. Retries of one request count more than once, which is why this is no number. What the gateway refuses itself (keys,
 * quotas) does not count, nor do its health checks.
 *
 * @param windowSeconds how long one request is seen.
 */
export function wakeQuery(endpoint: Asked, windowSeconds = WINDOW_SECONDS): string {
  const routes = routesTo(endpoint);
  const signs = [
    ...[...UNMET, "upstream_rq_total"].map((series) => lately(series, routes, windowSeconds)),
    total("upstream_rq_active", routes),
  ];
  return `(${signs.join(" + ")} > bool 0) and on () ${GATEWAY_IS_READ}`;
}

/**
 * PromQL, one element: requests of the last minutes that found no replica, each with its retries. What a person looks at who asks why
 * a model wakes, or why it does not.
 */
export function unmetRequestsQuery(endpoint: Asked, windowSeconds = WINDOW_SECONDS): string {
  const routes = routesTo(endpoint);
  return UNMET.map((series) => lately(series, routes, windowSeconds)).join(" + ");
}

/**
 * PromQL, one element: requests for the model that are under way at the gateway, those that wait in its engine's queue too. No element
 * where no proxy is read. A model counts its canary's as well; a canary counts its share of the model's.
 */
export function activeRequestsQuery(endpoint: Asked): string {
  const { revisionOf } = endpoint;
  const own = total("upstream_rq_active", ownRoutes(endpoint));
  const sum = revisionOf
    ? `${own} + ${revisionOf.weight} / 100 * ${total("upstream_rq_active", sharedRoutes(endpoint))}`
    : own;
  return `(${sum}) and on () ${GATEWAY_IS_READ}`;
}

/** The routes on which its requests come. Of a canary those of its model too: it must be awake for its share. */
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

/** Those of the model of which a revision has its share. */
function sharedRoutes({ revisionOf, ...endpoint }: Asked): string[] {
  return revisionOf ? ownRoutes({ ...endpoint, model: revisionOf.model }) : [];
}

/**
 * PromQL, one element: what a counter has grown by. Proxies have no series of what has not happened yet, so the first request makes
 * one that is 1 from its beginning, and that has not grown: what is new within the window counts whole. Not new is what was there within an
 * hour before, so that nobody wakes because Prometheus could not read a proxy for a while. A proxy that was started again in its pod has
 * the series that it had, from the beginning: smaller than it was, it is new too.
 */
function lately(series: string, routes: readonly string[], windowSeconds: number): string {
  return total(series, routes, (selector) => {
    const before = `last_over_time(${selector}[1h] offset ${windowSeconds}s)`;
    return `((${selector} unless ${before}) or (${selector} < ${before}) or increase(${selector}[${windowSeconds}s]))`;
  });
}

/** PromQL, one element: a series summed over proxies and routes. 0 where no proxy has it yet. */
function total(
  series: string,
  routes: readonly string[],
  each: (selector: string) => string = (selector) => selector,
): string {
  return `(sum(${clusterSeries(series, routes).map(each).join(" or ")}) or vector(0))`;
}
