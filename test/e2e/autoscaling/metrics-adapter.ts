import { createServer } from "node:https";
import { aggregate, servingName } from "../../../rehearsal/cluster/aggregation";
import { Authority } from "../../../rehearsal/cluster/authority";
import { EXTERNAL_METRICS } from "../../../rehearsal/cluster/keda";
import type { MetricsReplay } from "../../../rehearsal/cluster/metrics-replay";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { AutoscalingStand } from "./stand";

const SERVICE = { service: "metrics-adapter", namespace: "default" };
const API = "/apis/external.metrics.k8s.io/v1beta1";
const GROUP_VERSION = "external.metrics.k8s.io/v1beta1";

/**
 * The server of external metrics that a cluster without KEDA has of its own, such as prometheus-adapter: a metric is the series of its
 * name with the labels that the HorizontalPodAutoscaler selects, in its namespace.
 *
 * @returns what ends it.
 */
export async function startMetricsAdapter({ plane, replay }: AutoscalingStand): Promise<() => void> {
  const authority = new Authority();
  const issued = authority.issue([`DNS:${servingName(SERVICE)}`]);
  authority.discard();
  const server = createServer({ cert: issued["tls.crt"], key: issued["tls.key"] }, ({ url = "" }, response) => {
    answer(replay, url).then(
      (body) => {
        response.writeHead(body === undefined ? 404 : 200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(body));
      },
      (error: unknown) => {
        response.writeHead(503);
        response.end(String(error));
      },
    );
  });
  const [port = 0] = await freePorts(1);
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
  await aggregate(plane.client, EXTERNAL_METRICS, { ...SERVICE, port, ca: issued["ca.crt"] });
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function answer(replay: MetricsReplay, url: string): Promise<object | undefined> {
  const { pathname, searchParams } = new URL(url, "https://adapter");
  if (pathname === API) {
    return { kind: "APIResourceList", apiVersion: "v1", groupVersion: GROUP_VERSION, resources: [] };
  }
  const asked = new RegExp(`^${API}/namespaces/(?<namespace>[^/]+)/(?<metric>[^/]+)$`).exec(pathname)?.groups;
  if (asked === undefined) {
    return undefined;
  }
  const { namespace = "", metric = "" } = asked;
  const selected = (searchParams.get("labelSelector") ?? "").split(",").filter((pair) => pair !== "");
  const matchers = [...selected.map((pair) => pair.split("=")), ["namespace", namespace]].map(
    ([label, value]) => `${label}=${JSON.stringify(value)}`,
  );
  const found = await replay.query(`${metric}{${matchers.join(",")}}`);
  return {
    kind: "ExternalMetricValueList",
    apiVersion: GROUP_VERSION,
    metadata: {},
    items: found.map(({ labels, value }) => ({
      metricName: metric,
      metricLabels: labels,
      timestamp: new Date().toISOString(),
      value: `${Math.round(value * 1000)}m`,
    })),
  };
}
