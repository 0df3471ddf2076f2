import type { ConfigMap } from "@pulumi/pulumi/automation";

export const CLUSTER = "oci:ContainerEngine/cluster:Cluster";
export const NODE_POOL = "oci:ContainerEngine/nodePool:NodePool";
/** What is never deleted with the rest: what they encrypted would be lost. */
export const KEPT = ["oci:Kms/key:Key", "oci:Kms/vault:Vault"];
/** Logical name of the pool of the platform's own pods. */
export const SYSTEM_POOL = "cluster-pools-system";

/** Settings of the system pool that tests change. */
export interface SystemPool {
  readonly shape?: string;
  readonly minNodes?: number;
  readonly maxNodes?: number;
  readonly image?: string;
}

/** A cluster of our own, to be made alone. */
export function clusterSection(oke: object = {}): ConfigMap {
  const cluster = {
    kind: "oci",
    provision: "create",
    oke: {
      tenancyId: "ocid1.tenancy.oc1..your-tenancy",
      compartmentId: "ocid1.compartment.oc1..your-compartment",
      region: "eu-frankfurt-1",
      kubernetesVersion: "v1.34.1",
      ...oke,
    },
  };
  return {
    "inference-stacks:cluster": { value: JSON.stringify(cluster) },
    "inference-stacks:scope": { value: "cluster" },
  };
}

/** Settings of the pools whose nodes join by themselves, that tests change. */
export interface SelfManagedPools {
  readonly machines: number;
  readonly image: string;
  /** Of the cluster network. */
  readonly shape: string;
}

export const CLUSTER_NETWORK = "oci:Core/clusterNetwork:ClusterNetwork";
export const INSTANCE_POOL = "oci:Core/instancePool:InstancePool";

/** A cluster network, and machines whose memory is encrypted. */
export function selfManagedPools({ machines, image, shape }: SelfManagedPools): object {
  const size = { minNodes: machines, maxNodes: machines };
  const rdma = { shape, ...size, image, availabilityDomains: [2], rdma: { mode: "cluster-network" } };
  const encrypted = { shape: "VM.Standard.E4.Flex", ocpus: 2, memoryGiB: 16, role: "cpu", confidential: true };
  return { rdma, encrypted: { ...encrypted, ...size, image, labels: { "example.com/memory": "encrypted" } } };
}

/**
 * The pools of oci-a10, small: the system pool with a fixed number of nodes, so that nothing but the program sets it.
 *
 * @param others besides those of oci-a10.
 */
export function poolsSection(changes: SystemPool = {}, others: object = {}): ConfigMap {
  const system = {
    shape: "VM.Standard.E4.Flex",
    ocpus: 4,
    memoryGiB: 24,
    minNodes: 2,
    maxNodes: 2,
    image: "ocid1.image.oc1.eu-frankfurt-1.node-image",
    ...changes,
  };
  const gpus = {
    a10: { shape: "VM.GPU.A10.1", availabilityDomains: [1], maxNodes: 2, hoursPerDay: 4 },
    "a10-pair": { shape: "VM.GPU.A10.2", availabilityDomains: [1], maxNodes: 2, hoursPerDay: 4 },
  };
  return { "inference-stacks:pools": { value: JSON.stringify({ system, ...gpus, ...others }) } };
}

/** What dev runs, on a cluster of our own with nodes of processors alone, behind a load balancer. */
export function smallPlatform(): ConfigMap {
  const nodes = { role: "cpu", shape: "VM.Standard.E4.Flex", ocpus: 4, memoryGiB: 24, minNodes: 2, maxNodes: 2 };
  const gateway = { hostname: "inference.example.internal", tls: { kind: "self-signed" } };
  return {
    ...clusterSection(),
    "inference-stacks:scope": { value: "all" },
    "inference-stacks:pools": { value: JSON.stringify({ system: nodes }) },
    "inference-stacks:gateway": { value: JSON.stringify(gateway) },
  };
}
