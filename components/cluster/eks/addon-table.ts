import type { ManagedPolicyName } from "../../../catalog/aws-managed-policies";
import type { EksAddonName } from "../../../catalog/eks";
import type { EksSettings } from "./settings";
import { environmentTags } from "./tags";

export interface EksAddon {
  /** Amazon's name. */
  readonly addon: EksAddonName;
  /** Suffix of the logical name. */
  readonly suffix: string;
  /**
   * Whether nodes need it, or it needs nodes, without which a Deployment is degraded until the
   * timeout.
   */
  readonly comes: "before nodes" | "after nodes";
  /** Settings by the keys of its schema. */
  readonly values?: (settings: Pick<EksSettings, "environment">) => object;
  /** Service account in `kube-system` with AWS permissions. */
  readonly account?: EksAddonAccount;
}

export interface EksAddonAccount {
  readonly serviceAccount: string;
  readonly managedPolicy: ManagedPolicyName;
  /** Creates volumes with the volumes key. */
  readonly usesVolumesKey: boolean;
}

/** Spread replicas over zones and nodes if possible; still schedule them if not. */
const SPREAD = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { "k8s-app": "kube-dns" } },
}));

/**
 * EKS add-ons in installation order.
 *
 * `eks-node-monitoring-agent` is absent: Amazon's node repair would replace machines whose models
 * still answer. The platform's exporters monitor GPUs. Agents tolerate all taints; Deployments
 * tolerate no pool taint, so they stay off GPU nodes (aws/amazon-vpc-cni-k8s charts/aws-vpc-cni and
 * aws/eks-pod-identity-agent charts, values; kubernetes-sigs/aws-ebs-csi-driver docs/install.md at
 * 429e202).
 */
export const EKS_ADDONS: readonly EksAddon[] = [
  // First, because it provides the AWS credentials of the pod network.
  { addon: "eks-pod-identity-agent", suffix: "identity-agent", comes: "before nodes" },
  {
    // Standard policy mode: strict mode blocks pods without policy, including CoreDNS
    // (aws/amazon-vpc-cni-k8s README, NETWORK_POLICY_ENFORCING_MODE). No prefix delegation: pod
    // limits assume none.
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
    // The environment tag identifies volumes left behind by deleted claims.
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
