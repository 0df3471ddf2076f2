/**
 * Names of the gateway's routes to models and server groups. Envoy's series bear them, so those who ask for these need them too. Keys
 * of models and groups have no dot: no name is another's.
 */
import { GATEWAY_NAMESPACE } from "./namespaces";

/** Of the route to a model, of the HTTPRoute that the AI gateway makes of it, and of its policy. */
export function modelRouteName(name: string): string {
  return `model-${name}`;
}

/** Of the AIGatewayRoute for free consumers, and of the HTTPRoute and policy that belong to it. */
export function freeRouteName(name: string): string {
  return `free-${name}`;
}

/** The HTTPRoute of a server that has KServe's API alone. */
export function kserveRouteName(name: string): string {
  return `kserve-${name}`;
}

/** The HTTPRoute of gRPC calls with one request and one answer. */
export function grpcCallRouteName(model: string): string {
  return `grpc-${model}`;
}

/** The HTTPRoute of gRPC streams. */
export function grpcStreamRouteName(model: string): string {
  return `grpc-${model}.stream`;
}

/** Of its own proxies: a pod elsewhere could say the same of anybody's model. */
const AT_GATEWAY = `namespace="${GATEWAY_NAMESPACE}"`;

/**
 * Selectors of one of Envoy's series for the clusters of routes, one per metric name; no two select the same labels.
 *
 * Envoy Gateway 1.9 names a cluster `httproute/<namespace>/<route>/rule/<number>`. Envoy 1.40 takes the label from its own name of the
 * series, up to the first dot: of a route with a dot, the rest of the cluster's name stands in the metric's. Seen at a real proxy:
 * test/e2e/autoscaling/zero.test.ts.
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
    // Their first rule alone: the rules of one route would have the same labels. All that they answer, but for questions about a model, is there.
    ...dotted.map((route) => {
      const dot = route.indexOf(".");
      return `envoy_cluster_${route.slice(dot + 1)}_rule_0_${series}{${AT_GATEWAY},envoy_cluster_name="${clusterName(route.slice(0, dot))}"}`;
    }),
  ];
}

function clusterName(route: string): string {
  return `httproute/${GATEWAY_NAMESPACE}/${route}`;
}
