/** Network settings of replicas that span nodes. */
import { HOST_NETWORK_LABEL, type Labels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import type { HardenedPodArgs } from "../core/hardened-pod";

/** Multus: additional networks of a pod. */
const NETWORKS_ANNOTATION = "k8s.v1.cni.cncf.io/networks";
/** LeaderWorkerSet annotation: node label whose value one group owns. */
const EXCLUSIVE_TOPOLOGY = "leaderworkerset.sigs.k8s.io/exclusive-topology";

/** The plan's resources include extended ones. */
export interface GroupFabric {
  /** Variables of NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the engine besides. */
  readonly engineEnvironment: Readonly<Record<string, string>>;
  /** Of the group's object. */
  readonly annotations: Readonly<Record<string, string>>;
  /** For group and pods; for the namespace too, on the host network. */
  readonly labels: Labels;
  /** Of each pod. */
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly around: (pod: HardenedPodArgs, engine: string) => HardenedPodArgs;
}

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
 * Gloo listens on the address of its host name, which may be loopback on a node's network: set
 * NCCL's interface.
 */
function glooEnvironment({ NCCL_SOCKET_IFNAME }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return NCCL_SOCKET_IFNAME === undefined ? {} : { GLOO_SOCKET_IFNAME: NCCL_SOCKET_IFNAME };
}

/** One per node: all would use the same ports. */
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
 * `/dev/infiniband/uverbs*` has mode 0666 (kernel, drivers/infiniband/core/uverbs_main.c), but the
 * device cgroup denies it without a device plugin, except in privileged containers. These need no
 * host path, capability or root.
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
