/**
 * Prometheus targets of a mesh. Ports and labels: charts and templates of istio/istio 1.30.3,
 * 2026-11-23.
 */
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";
import type { ScrapeTarget, SharedMonitor } from "../observability/targets";
import type { MeshMode } from "./mode";
import { ISTIO_PODS } from "./names";

/** Labels that Istio sets on waypoint pods. */
export const WAYPOINT_LABELS = { "gateway.networking.k8s.io/gateway-class-name": "istio-waypoint" };
/** Label that Istio sets on pods with sidecars. */
const SIDECAR_LABELS = { "security.istio.io/tlsMode": "istio" };

export const MESH_METRICS_PORTS = {
  /** istiod and CNI agents. */
  control: 15014,
  /** ztunnel and waypoints. */
  proxy: 15020,
  /** Sidecars: the only declared port, so a PodMonitor finds it. */
  sidecar: 15090,
} as const;

const PROXY_PATH = "/stats/prometheus";
const WAYPOINTS: SharedMonitor = { name: "waypoints", podLabels: WAYPOINT_LABELS, labelsOfPods: {} };
const SIDECARS: SharedMonitor = { name: "sidecars", podLabels: SIDECAR_LABELS, labelsOfPods: {} };

export interface MeshTargets {
  readonly mode: MeshMode;
  readonly endpoints: readonly (PodSelection & { readonly model: string })[];
  /** Gateway proxies. */
  readonly gateway: PodSelection;
  readonly models: readonly Pick<ModelPlan, "name" | "nodesPerReplica">[];
}

/** Control plane, agents, and request proxies at models and gateway. */
export function meshTargets({ mode, endpoints, gateway, models }: MeshTargets): ScrapeTarget[] {
  // Pods of replicas that span nodes are outside the mesh (members.ts).
  const spanning = new Set(
    models.filter(({ nodesPerReplica }) => nodesPerReplica > 1).map(({ name }) => modelNamespaceName(name)),
  );
  const inside = endpoints.filter(
    ({ namespace }, i) =>
      !spanning.has(namespace) && endpoints.findIndex((other) => other.namespace === namespace) === i,
  );
  const agent = (name: string, pods: PodSelection, port: number): ScrapeTarget => ({
    name,
    namespace: pods.namespace,
    podLabels: pods.podLabels,
    port,
    path: "/metrics",
  });
  const { control, proxy, sidecar } = MESH_METRICS_PORTS;
  return [
    agent("istiod", ISTIO_PODS.istiod, control),
    agent("istio-cni", ISTIO_PODS.cni, control),
    ...(mode === "ambient"
      ? [
          agent("ztunnel", ISTIO_PODS.ztunnel, proxy),
          ...inside.map(({ model, namespace }) => ({
            name: `waypoint-${model}`,
            namespace,
            podLabels: WAYPOINT_LABELS,
            port: proxy,
            path: PROXY_PATH,
            monitor: WAYPOINTS,
          })),
        ]
      : [
          ...inside.map(({ model, namespace, podLabels }) => ({ name: `sidecar-of-${model}`, namespace, podLabels })),
          { name: "sidecar-of-gateway-proxies", ...gateway },
        ].map((pods) => ({ ...pods, port: sidecar, path: PROXY_PATH, monitor: SIDECARS }))),
  ];
}
