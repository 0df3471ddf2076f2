import { GPU_METRICS_NAMESPACE, NODE_METRICS_NAMESPACE, OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import { type Connection, connect, type End, podsIn } from "../core/connections";
import {
  CLUSTER_DNS,
  type ClusterNetworks,
  fromKubernetesApi,
  internet,
  networksOf,
  privateNetworks,
  toKubernetesApi,
} from "../core/network";
import { type AlertReceiverKind, type AlertReceivers, RECEIVER_KINDS, receiverPort } from "./alert-receivers";
import type { ExistingOperator } from "./existing-operator";
import { GPU_EXPORTERS, type GpuPool, gpuVendors } from "./gpu-metrics";
import { STACK_PODS } from "./names";
import type { ScrapeTarget } from "./targets";

export interface ObservabilityConnections {
  readonly targets: readonly ScrapeTarget[];
  readonly gpuPools: readonly GpuPool[];
  /** `present`: existing exporters in a namespace unknown to the platform. */
  readonly gpuExporters: "platform" | "present";
  /** Kubelet and node-exporter listen on the nodes' addresses. */
  readonly networks: ClusterNetworks;
  readonly scrapeControlPlane: boolean;
  readonly receivers: AlertReceivers;
}

const NODE_PORTS = { kubelet: 10250, nodeExporter: 9100 };
const CONTROL_PLANE_PORTS = { etcd: 2381, controllerManager: 10257, scheduler: 10259, proxy: 10249 };

/** Ports among Prometheus, Alertmanager, Grafana and exporters. */
const OWN_PORTS = [9090, 9093, 9094, { port: 9094, protocol: "UDP" as const }, 3000, 8080, 8081, 10250];

const SCRAPED = "Prometheus reads their metrics";

/** An existing Prometheus has connections outside of the platform. */
export function existingOperatorConnections(
  targets: readonly ScrapeTarget[],
  gpuPools: readonly GpuPool[],
  gpuExporters: "platform" | "present",
  { namespace, podLabels }: ExistingOperator,
  networks: ClusterNetworks,
): Connection[] {
  const prometheus = { namespace, podLabels };
  const exporters = gpuExporters === "platform" ? gpuVendors(gpuPools).map((vendor) => GPU_EXPORTERS[vendor]) : [];
  return [
    ...targets.map((target) =>
      connect({
        name: `prometheus-to-${target.name}`,
        reason: SCRAPED,
        from: prometheus,
        to: target,
        ports: [target.port],
      }),
    ),
    ...exporters.flatMap(({ chart, podLabels: labels, port, usesKubernetesApi }) => {
      const pods = { namespace: GPU_METRICS_NAMESPACE, podLabels: labels };
      return [
        connect({ name: `prometheus-to-${chart}`, reason: SCRAPED, from: prometheus, to: pods, ports: [port] }),
        ...(usesKubernetesApi ? [toKubernetesApi(chart, pods, networks)] : []),
      ];
    }),
  ];
}

export function observabilityConnections(args: ObservabilityConnections): Connection[] {
  const { networks, targets, receivers } = args;
  const { prometheus, grafana, kubeStateMetrics, operator } = STACK_PODS;
  const everyPod = podsIn(OBSERVABILITY_NAMESPACE);
  return [
    connect({
      name: "monitoring-to-itself",
      reason: "Parts of the stack call one another: Prometheus, Alertmanager, Grafana, exporters, operator",
      from: everyPod,
      to: everyPod,
      ports: OWN_PORTS,
    }),
    toKubernetesApi("monitoring", [prometheus, operator, kubeStateMetrics, grafana], networks),
    fromKubernetesApi("monitoring", operator, [10250]),
    ...nodeConnections(args),
    connect({
      name: "prometheus-to-dns",
      reason: "Prometheus reads the metrics of the cluster's DNS",
      from: STACK_PODS.prometheus,
      to: CLUSTER_DNS,
      ports: [9153],
    }),
    ...gpuConnections(args),
    ...targets.map((target) =>
      connect({
        name: `prometheus-to-${target.name}`,
        reason: SCRAPED,
        from: STACK_PODS.prometheus,
        to: target,
        ports: [target.port],
      }),
    ),
    ...RECEIVER_KINDS.filter((kind) => receivers[kind] !== undefined).map((kind) =>
      connect({
        name: `alertmanager-to-${kind}`,
        reason: `Alertmanager sends alerts to the receiver ${kind}${isProxied(receivers, kind) ? ", by its proxy" : ""}`,
        from: STACK_PODS.alertmanager,
        to: receiverEnds(receivers[kind]?.networks, networks),
        ports: [receiverPort(receivers, kind)],
      }),
    ),
  ];
}

function isProxied(receivers: AlertReceivers, kind: AlertReceiverKind): boolean {
  return kind !== "email" && receivers[kind]?.proxyUrl !== undefined;
}

/** NetworkPolicies match no names, and the address is secret. */
function receiverEnds(declared: readonly string[] | undefined, networks: ClusterNetworks): End[] {
  return declared === undefined ? internet(networks) : networksOf(declared);
}

function nodeConnections({ networks, scrapeControlPlane }: ObservabilityConnections): Connection[] {
  return [
    connect({
      name: "prometheus-to-nodes",
      reason: "Prometheus reads the metrics of kubelets and nodes, at the nodes' own addresses",
      from: STACK_PODS.prometheus,
      to: privateNetworks(networks),
      ports: [...Object.values(NODE_PORTS), ...(scrapeControlPlane ? Object.values(CONTROL_PLANE_PORTS) : [])],
    }),
    connect({
      name: "prometheus-to-node-exporters",
      reason: SCRAPED,
      from: STACK_PODS.prometheus,
      to: podsIn(NODE_METRICS_NAMESPACE),
      ports: [NODE_PORTS.nodeExporter],
    }),
  ];
}

function gpuConnections({ gpuPools, gpuExporters, networks }: ObservabilityConnections): Connection[] {
  return gpuVendors(gpuPools).flatMap((vendor) => {
    const { podLabels, port, usesKubernetesApi } = GPU_EXPORTERS[vendor];
    const ours = gpuExporters === "platform";
    const exporters = { namespace: GPU_METRICS_NAMESPACE, podLabels };
    return [
      connect({
        name: `prometheus-to-${vendor}-exporters`,
        reason: "Prometheus reads the metrics of the GPU exporters",
        from: STACK_PODS.prometheus,
        to: ours ? exporters : { anyNamespace: true },
        ports: [port],
      }),
      ...(ours && usesKubernetesApi ? [toKubernetesApi(`${vendor}-exporters`, exporters, networks)] : []),
    ];
  });
}
