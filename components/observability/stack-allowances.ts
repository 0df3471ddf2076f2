import {
  type Allowance,
  CLUSTER_DNS,
  type ClusterNetworks,
  fromKubernetesApi,
  internet,
  kubernetesApi,
  type Peer,
  privateNetworks,
} from "../core/network";
import { GPU_EXPORTERS, type GpuPool, gpuVendors } from "./gpu-metrics";
import { GPU_METRICS_NAMESPACE, STACK_PODS } from "./names";
import { type ScrapeTarget, scrapeAllowances } from "./targets";

export interface StackConnections {
  readonly targets: readonly ScrapeTarget[];
  readonly gpuPools: readonly GpuPool[];
  /** `present`: somebody else's exporters, in a namespace that the platform does not know. */
  readonly gpuExporters: "platform" | "present";
  /** Kubelet and node-exporter listen on the nodes' addresses. */
  readonly networks: ClusterNetworks;
  readonly scrapeControlPlane: boolean;
  /** Whether Alertmanager calls a webhook. */
  readonly alertWebhook: boolean;
}

/** Ports on the nodes' own addresses. */
const NODE_PORTS = { kubelet: 10250, nodeExporter: 9100 };
const CONTROL_PLANE_PORTS = { etcd: 2381, controllerManager: 10257, scheduler: 10259, proxy: 10249 };

/** Ports by which the parts of the stack reach each other: Prometheus, Alertmanager and its gossip, Grafana, exporters. */
const OWN_PORTS = [
  { port: 9090 },
  { port: 9093 },
  { port: 9094 },
  { port: 9094, protocol: "UDP" as const },
  { port: 3000 },
  { port: 8080 },
  { port: 8081 },
  { port: 10250 },
];

/** Everything that the metrics stack may connect to, and who may connect to it. */
export function stackAllowances(args: StackConnections): Allowance[] {
  const { networks } = args;
  const { prometheus, alertmanager, grafana, kubeStateMetrics, operator } = STACK_PODS;
  return [
    {
      name: "within",
      reason: "Parts of the stack call one another: Prometheus, Alertmanager, Grafana, exporters, operator",
      pods: {},
      from: [{ pods: {} }],
      ports: OWN_PORTS,
    },
    {
      name: "to-within",
      reason: "Parts of the stack call one another: Prometheus, Alertmanager, Grafana, exporters, operator",
      pods: {},
      to: [{ pods: {} }],
      ports: OWN_PORTS,
    },
    kubernetesApi("api-prometheus", prometheus, networks),
    kubernetesApi("api-operator", operator, networks),
    kubernetesApi("api-kube-state-metrics", kubeStateMetrics, networks),
    kubernetesApi("api-grafana", grafana, networks),
    fromKubernetesApi("operator-webhook", operator, [{ port: 10250 }]),
    ...nodeAllowances(args),
    {
      name: "scrape-dns",
      reason: "Prometheus reads the metrics of the cluster's DNS",
      pods: prometheus,
      to: [CLUSTER_DNS],
      ports: [{ port: 9153 }],
    },
    ...gpuAllowances(args),
    ...scrapeAllowances(args.targets),
    ...(args.alertWebhook
      ? [
          {
            name: "alert-webhook",
            reason: "Alertmanager posts alerts to the webhook",
            pods: alertmanager,
            to: internet(networks),
            ports: [{ port: 443 }],
          },
        ]
      : []),
  ];
}

function nodeAllowances({ networks, scrapeControlPlane }: StackConnections): Allowance[] {
  const ports = [...Object.values(NODE_PORTS), ...(scrapeControlPlane ? Object.values(CONTROL_PLANE_PORTS) : [])];
  const to = privateNetworks(networks);
  return [
    {
      name: "scrape-nodes",
      reason: "Prometheus reads the metrics of kubelets and nodes, at the nodes' own addresses",
      pods: STACK_PODS.prometheus,
      to,
      ports: ports.map((port) => ({ port })),
    },
  ];
}

function gpuAllowances({ gpuPools, gpuExporters }: StackConnections): Allowance[] {
  return gpuVendors(gpuPools).map((vendor) => {
    const { pods, port } = GPU_EXPORTERS[vendor];
    const exporters: Peer =
      gpuExporters === "platform" ? { namespace: GPU_METRICS_NAMESPACE, pods } : { anyNamespace: true };
    return {
      name: `scrape-gpu-${vendor}`,
      reason: "Prometheus reads the metrics of the GPU exporters",
      pods: STACK_PODS.prometheus,
      to: [exporters],
      ports: [{ port }],
    };
  });
}
