/** What the pods of a replica get that spans nodes, so that its nodes talk over what the plan says. */
import { HOST_NETWORK_LABEL, type Labels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import type { HardenedPodArgs } from "../core/hardened-pod";

/** Multus reads it: the networks that a pod gets interfaces of, in addition to its own. */
const NETWORKS_ANNOTATION = "k8s.v1.cni.cncf.io/networks";
/** The group controller reads it on a LeaderWorkerSet: label of nodes whose value a group shares with no other. */
const EXCLUSIVE_TOPOLOGY = "leaderworkerset.sigs.k8s.io/exclusive-topology";

/** Extended resources are among the resources that the plan decided. */
export interface GroupFabric {
  /** Variables of NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the engine besides. */
  readonly engineEnvironment: Readonly<Record<string, string>>;
  /** Of the group's object. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the group's object and of its pods; of the namespace too, where they are on the network of their nodes. */
  readonly labels: Labels;
  /** Of each pod. */
  readonly podAnnotations: Readonly<Record<string, string>>;
  /** The pod of one node, with the network of its node where the plan says so. */
  readonly around: (pod: HardenedPodArgs, engine: string) => HardenedPodArgs;
}

/** All of it, from the plan's link between the nodes. */
export function groupFabric({ name, nodeLink }: Pick<ModelPlan, "name" | "nodeLink">): GroupFabric {
  const { environment = {}, networks = [], hostNetwork = false, topologyLabel } = nodeLink ?? {};
  return {
    environment,
    engineEnvironment: hostNetwork ? glooEnvironment(environment) : {},
    annotations: topologyLabel === undefined ? {} : { [EXCLUSIVE_TOPOLOGY]: topologyLabel },
    labels: hostNetwork ? { [HOST_NETWORK_LABEL]: name } : {},
    podAnnotations: networks.length > 0 ? { [NETWORKS_ANNOTATION]: networks.join(",") } : {},
    around: (pod, engine) => (hostNetwork ? onHostNetwork(pod, engine) : pod),
  };
}

/**
 * PyTorch's Gloo listens on the address that its host's name resolves to. That is the pod's own, but on the network of a node it is
 * what the node's /etc/hosts says, which may be a loopback address: so it takes the interface that NCCL's own connections take.
 */
function glooEnvironment({ NCCL_SOCKET_IFNAME }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return NCCL_SOCKET_IFNAME === undefined ? {} : { GLOO_SOCKET_IFNAME: NCCL_SOCKET_IFNAME };
}

/** One of a node, whichever model it is of: they would ask for the same ports. */
const ALONE_ON_ITS_NODE = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchExpressions: [{ key: HOST_NETWORK_LABEL, operator: "Exists" }] },
        namespaceSelector: {},
        topologyKey: "kubernetes.io/hostname",
      },
    ],
  },
};

/**
 * The RDMA devices of a node are files, `/dev/infiniband/uverbs*`, that everybody may read and write (mode 0666, kernel,
 * drivers/infiniband/core/uverbs_main.c): a container opens them once its device cgroup lets it. Without a device plugin that is
 * a privileged one alone, which gets all devices of its node from containerd and CRI-O. It needs no path of the host, no
 * capability and no root, and has none.
 */
function onHostNetwork(pod: HardenedPodArgs, engine: string): HardenedPodArgs {
  return {
    ...pod,
    hostNetwork: true,
    affinity: ALONE_ON_ITS_NODE,
    containers: pod.containers.map((container) =>
      container.name === engine ? { ...container, hostDevices: true } : container,
    ),
  };
}
