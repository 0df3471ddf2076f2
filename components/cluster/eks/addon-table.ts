import type { ManagedPolicyName } from "../../../catalog/aws-managed-policies";
import type { EksAddonName } from "../../../catalog/eks";
import type { EksSettings } from "./settings";
import { environmentTags } from "./tags";

/** An add-on of Amazon's. */
export interface EksAddon {
  /** As Amazon writes it. */
  readonly addon: EksAddonName;
  /** Last part of its logical name. */
  readonly suffix: string;
  /** Whether nodes wait for it, or it for nodes: without any, a Deployment is degraded until the add-on's time is over. */
  readonly comes: "before nodes" | "after nodes";
  /** Its settings, by the keys of its schema. */
  readonly values?: (settings: Pick<EksSettings, "environment">) => object;
  /** Its service account in `kube-system` that has rights in AWS. */
  readonly account?: EksAddonAccount;
}

export interface EksAddonAccount {
  readonly serviceAccount: string;
  readonly managedPolicy: ManagedPolicyName;
  /** It makes volumes, with our key. */
  readonly usesVolumesKey: boolean;
}

/** Where replicas go: onto as many zones and nodes as there are, but rather close than not at all. */
const SPREAD = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { "k8s-app": "kube-dns" } },
}));

/**
 * What Amazon runs in the cluster, in the order in which it comes.
 *
 * Not here: `eks-node-monitoring-agent`, whose findings only Amazon's repair of nodes reads, which would replace a machine
 * under a model that still answers; GPUs are watched by the platform's exporters and alerts. The agents of the first three tolerate all
 * taints, as does the volumes' on each node, so that nothing has to be said of pools; the Deployments tolerate no taint of
 * a pool, so that none of their pods goes to a GPU node (aws/amazon-vpc-cni-k8s charts/aws-vpc-cni and
 * aws/eks-pod-identity-agent charts, values; kubernetes-sigs/aws-ebs-csi-driver docs/install.md at 429e202).
 */
export const EKS_ADDONS: readonly EksAddon[] = [
  // It answers the pod network's question for its rights, so that it comes first.
  { addon: "eks-pod-identity-agent", suffix: "identity-agent", comes: "before nodes" },
  {
    // Policies in the standard mode: the strict one takes the network from every pod that no policy selects, CoreDNS included
    // (aws/amazon-vpc-cni-k8s README, NETWORK_POLICY_ENFORCING_MODE).
    // No prefixes: the pods that a node takes are counted without them, in the catalogue and by the nodes themselves.
    addon: "vpc-cni",
    suffix: "pod-network",
    comes: "before nodes",
    values: () => ({ enableNetworkPolicy: "true" }),
    account: { serviceAccount: "aws-node", managedPolicy: "AmazonEKS_CNI_Policy", usesVolumesKey: false },
  },
  { addon: "kube-proxy", suffix: "proxy", comes: "before nodes" },
  {
    addon: "coredns",
    suffix: "dns",
    comes: "after nodes",
    values: () => ({
      autoScaling: { enabled: true, minReplicas: 2, maxReplicas: 10 },
      topologySpreadConstraints: SPREAD,
    }),
  },
  {
    // Volumes carry the environment's tag, so that those that a claim has left behind can be found.
    addon: "aws-ebs-csi-driver",
    suffix: "volumes",
    comes: "after nodes",
    values: (settings) => ({ controller: { extraVolumeTags: environmentTags(settings) } }),
    account: {
      serviceAccount: "ebs-csi-controller-sa",
      managedPolicy: "AmazonEBSCSIDriverPolicyV2",
      usesVolumesKey: true,
    },
  },
  { addon: "metrics-server", suffix: "metrics", comes: "after nodes" },
];
