/**
 * Gateway routes of models and server groups, also used in Envoy's metrics. Keys have no dots, so
 * names are unique.
 */
import { GATEWAY_NAMESPACE } from "./namespaces";

/** Route of a model, its generated HTTPRoute, and its policy. */
export function modelRouteName(name: string): string {
  return `model-${name}`;
}

/** AIGatewayRoute of free consumers, its HTTPRoute and policy. */
export function freeRouteName(name: string): string {
  return `free-${name}`;
}

/** HTTPRoute of a server with only KServe's API. */
export function kserveRouteName(name: string): string {
  return `kserve-${name}`;
}

/** HTTPRoute of unary gRPC calls. */
export function grpcCallRouteName(model: string): string {
  return `grpc-${model}`;
}

export function grpcStreamRouteName(model: string): string {
  return `grpc-${model}.stream`;
}

/** Restricts to the gateway's proxies: other pods could report any model's name. */
const AT_GATEWAY = `namespace="${GATEWAY_NAMESPACE}"`;

/**
 * Disjoint selectors of an Envoy series for routes' clusters, one per metric name.
 *
 * Envoy Gateway 1.9 names a cluster `httproute/<namespace>/<route>/rule/<number>`. Envoy 1.40 cuts
 * the label at the first dot: the rest of a dotted route becomes part of the metric's name.
 * Verified in test/e2e/autoscaling/zero.test.ts.
 *
 * @param series name without the prefix `envoy_cluster_`.
 */
export function clusterSeries(series: string, routes: readonly string[]): string[] {
  const plain = routes.filter((route) => !route.includes("."));
  const dotted = routes.filter((route) => route.includes("."));
  return [
    ...(plain.length > 0
      ? [
          `envoy_cluster_${series}{${AT_GATEWAY},envoy_cluster_name=~"${clusterName(`(${plain.join("|")})`)}/rule/[0-9]+"}`,
        ]
      : []),
    // Only the first rule, as all rules of a route have equal labels. It serves everything except
    // model queries.
    ...dotted.map((route) => {
      const dot = route.indexOf(".");
      return `envoy_cluster_${route.slice(dot + 1)}_rule_0_${series}{${AT_GATEWAY},envoy_cluster_name="${clusterName(route.slice(0, dot))}"}`;
    }),
  ];
}

function clusterName(route: string): string {
  return `httproute/${GATEWAY_NAMESPACE}/${route}`;
}
