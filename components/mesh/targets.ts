/** What Prometheus scrapes of a mesh. Ports and labels: charts and templates of istio/istio 1.30.3, 2026-11-23. */
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import type { PodSelection } from "../core/connections";
import type { ScrapeTarget, SharedMonitor } from "../observability/targets";
import type { MeshMode } from "./mode";
import { ISTIO_PODS } from "./names";

/** Labels that Istio puts on the pods of a waypoint, wherever it stands. */
export const WAYPOINT_LABELS = { "gateway.networking.k8s.io/gateway-class-name": "istio-waypoint" };
/** Label that Istio puts on a pod as it gives it a sidecar. */
const SIDECAR_LABELS = { "security.istio.io/tlsMode": "istio" };

export const MESH_METRICS_PORTS = {
  /** Of istiod and of the CNI agents. */
  control: 15014,
  /** Of ztunnel, and of waypoints. */
  proxy: 15020,
  /** Of sidecars: the only one that they declare, so that a monitor finds it. */
  sidecar: 15090,
} as const;

const PROXY_PATH = "/stats/prometheus";
const WAYPOINTS: SharedMonitor = { name: "waypoints", podLabels: WAYPOINT_LABELS, labelsOfPods: {} };
const SIDECARS: SharedMonitor = { name: "sidecars", podLabels: SIDECAR_LABELS, labelsOfPods: {} };

export interface MeshTargets {
  readonly mode: MeshMode;
  /** Pods that answer for each model. */
  readonly endpoints: readonly (PodSelection & { readonly model: string })[];
  /** The proxies in front of them. */
  readonly gateway: PodSelection;
  readonly models: readonly Pick<ModelPlan, "name" | "nodesPerReplica">[];
}

/** The control plane, the agents, and the proxies that see requests: in front of models, and at the gateway. */
export function meshTargets({ mode, endpoints, gateway, models }: MeshTargets): ScrapeTarget[] {
  // Pods of replicas that span nodes are outside of the mesh (members.ts).
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
