import { AWS_ACCOUNTS } from "./aws";
import {
  ARGO_CD_CHARTS_NAMESPACE,
  ARGO_CD_NAMESPACE,
  BETA9_NAMESPACE,
  FABRIC_GATE_HOST_NAMESPACE,
  FABRIC_GATE_NAMESPACE,
  GPU_METRICS_NAMESPACE,
  GPU_SOFTWARE_NAMESPACE,
  ISTIO_NAMESPACE,
  NETWORK_POLICY_NAMESPACE,
  NODE_METRICS_NAMESPACE,
  OBSERVABILITY_NAMESPACE,
  RANCHER_FLEET_NAMESPACE,
  RANCHER_NAMESPACE,
  SPARE_NAMESPACE,
} from "./namespaces";

/** Namespace label by mesh mode, with values for members and for explicit exclusion. */
export const MESH_LABELS = {
  ambient: { key: "istio.io/dataplane-mode", inside: "ambient", outside: "none" },
  sidecar: { key: "istio-injection", inside: "enabled", outside: "disabled" },
} as const;

/** Platform namespace that is always outside the mesh. */
export interface MeshOutsider {
  readonly namespace: string;
  /** One sentence without a full stop. */
  readonly reason: string;
  /** @default in each mode */
  readonly mode?: keyof typeof MESH_LABELS;
}

export const MESH_OUTSIDERS: readonly MeshOutsider[] = [
  { namespace: ISTIO_NAMESPACE, reason: "It is the mesh: its agents cannot wait for themselves" },
  {
    namespace: NETWORK_POLICY_NAMESPACE,
    reason: "Calico's agents use the network of their nodes, which no mesh takes in",
  },
  {
    namespace: NODE_METRICS_NAMESPACE,
    reason: "node-exporter uses the network of its node, which no mesh takes in",
  },
  {
    namespace: GPU_METRICS_NAMESPACE,
    reason: "GPU exporters give figures to Prometheus alone, and must give them while the mesh on their node is broken",
  },
  {
    namespace: GPU_SOFTWARE_NAMESPACE,
    reason:
      "Drivers and device plugins come before anything that needs a GPU, and speak to their node and the Kubernetes API alone",
  },
  {
    namespace: AWS_ACCOUNTS.karpenter.namespace,
    reason:
      "Karpenter brings the nodes that the mesh's own agents run on, and speaks to Amazon and the Kubernetes API alone",
  },
  {
    namespace: AWS_ACCOUNTS.loadBalancers.namespace,
    reason:
      "The controller speaks to Amazon and the Kubernetes API alone, and takes load balancers away while no mesh is left",
  },
  {
    namespace: ARGO_CD_NAMESPACE,
    reason: "Argo CD installs the mesh with all else, and must start before there is one",
  },
  { namespace: ARGO_CD_CHARTS_NAMESPACE, reason: "No pods run in it" },
  {
    namespace: FABRIC_GATE_NAMESPACE,
    reason: "Pods of a trial compute together, as those of a replica that spans nodes: NCCL cannot go through a proxy",
  },
  {
    namespace: FABRIC_GATE_HOST_NAMESPACE,
    reason: "Its pods use the network of their nodes, which no mesh takes in",
  },
  { namespace: SPARE_NAMESPACE, reason: "Its pods keep room for replicas, and nothing connects to them" },
  {
    namespace: BETA9_NAMESPACE,
    reason:
      "Workers route the packets of their functions' containers in the network namespace of their own pod, where the mesh would take them",
  },
  ...[RANCHER_NAMESPACE, RANCHER_FLEET_NAMESPACE].map((namespace) => ({
    namespace,
    reason:
      "The Rancher server installs charts in it that know no mesh, and its agents speak to it and the Kubernetes API alone",
  })),
  {
    namespace: OBSERVABILITY_NAMESPACE,
    reason: "Prometheus asks pods by their addresses, to which a sidecar makes no mutual TLS",
    mode: "sidecar",
  },
];
