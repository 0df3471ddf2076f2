import { OPERATORS } from "../../../catalog/sriov";
import type { AlertRule, RuleSubject } from "./types";

const { namespace, gpuNamespace, toolkit, addressesOfNode, restartWithinSeconds } = OPERATORS;

/** Start of the DaemonSet's container by node, Unix seconds. */
const started = (of: string, daemonSet: string) =>
  `max by (node) (kube_pod_container_state_started{namespace="${of}",pod=~"${daemonSet}-.+"} * on (namespace, pod) group_left (node) max by (namespace, pod, node) (kube_pod_info{node!=""}))`;

const pod = (of: string, name: string, node: string, at: string) => ({
  [`kube_pod_container_state_started{namespace="${of}",pod="${name}",container="main"}`]: at,
  [`kube_pod_info{namespace="${of}",pod="${name}",node="${node}"}`]: "1x60",
});
const toolkitOf = (node: string, at: string) => pod(gpuNamespace, `${toolkit}-${node}`, node, at);
const addressesOf = (node: string, at: string) => pod(namespace, `${addressesOfNode}-${node}`, node, at);

const addressesAreLost: AlertRule = {
  alert: "RdmaAddressesAreLost",
  expr: `${started(namespace, addressesOfNode)} < on (node) (${started(gpuNamespace, toolkit)} + ${restartWithinSeconds})`,
  for: "10m",
  severity: "warning",
  summary: "Pods on node {{ $labels.node }} may get no addresses on the RDMA network",
  description:
    "On node {{ $labels.node }} the container toolkit restarted the container runtime after nv-ipam, which assigns addresses of RDMA interfaces. Earlier pods lost their network, and pods of multi-node replicas stay in ContainerCreating. Restart nv-ipam on the node.",
  cases: {
    // Node b joined later with both pods.
    fires: {
      series: {
        ...toolkitOf("a", "1000x60"),
        ...addressesOf("a", "1300x60"),
        ...toolkitOf("b", "9000x60"),
        ...addressesOf("b", "8990x60"),
      },
      at: "30m",
      labels: { node: "b" },
    },
    // Restarted since; a node without the network.
    quiet: {
      series: {
        ...toolkitOf("b", "9000x60"),
        ...addressesOf("b", "8990x5 9900x54"),
        ...toolkitOf("c", "9000x60"),
      },
      at: "30m",
    },
  },
};

export const rdmaAlerts: RuleSubject = { subject: "rdma", recording: [], alerts: [addressesAreLost] };
