import type * as pulumi from "@pulumi/pulumi";
import { OPERATORS, VF_ADDRESSES, VF_NETWORK } from "../../catalog/sriov";
import { RDMA_DEVICES_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import type { Cluster } from "../core/cluster";
import { type Connection, podsIn } from "../core/connections";
import { customResource } from "../core/custom-resource";
import { toKubernetesApi } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { OperatorsReady } from "./operators-ready";
import { addressPool, type DevicePool, devicePools, network, nodePolicy, poolConfig } from "./sriov-specs";
import {
  type IIPPool,
  type ISriovNetwork,
  type ISriovNetworkNodePolicy,
  type ISriovNetworkPoolConfig,
  SRIOV_CRDS,
} from "./sriov-types";

type RdmaCluster = Pick<Cluster, "gpuSoftware" | "pools">;

export function rdmaDeviceNamespaces(cluster: RdmaCluster): string[] {
  return devicePools(cluster).length > 0 ? [RDMA_DEVICES_NAMESPACE] : [];
}

export function rdmaDeviceConnections(cluster: Cluster): Connection[] {
  return rdmaDeviceNamespaces(cluster).map((namespace) => toKubernetesApi("rdma-devices", podsIn(namespace), cluster));
}

export interface RdmaDevicesArgs {
  readonly cluster: Cluster;
  readonly stage: Stage;
}

/**
 * Configures the cloud's SR-IOV operator: pods get a virtual function per RDMA port, without host
 * networking, host paths or privileges.
 */
export class RdmaDevices extends PlatformComponent {
  /** By pool. Devices appear minutes later; pods that request them stay pending. */
  readonly ready: Readonly<Record<string, readonly pulumi.Resource[]>>;

  constructor(
    name: string,
    { cluster, stage, pools }: RdmaDevicesArgs & { readonly pools: readonly [DevicePool, ...DevicePool[]] },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("gpu:RdmaDevices", name, opts);
    const { namespace, gpuNamespace, toolkit } = OPERATORS;
    // It restarts the node's container runtime, which loses the networks of earlier pods: the
    // network operator's pods must start later (oracle-quickstart/oci-hpc-oke, commit f18eb95).
    const restarts = pools.some(({ pool }) => pool.gpus?.resource.startsWith("nvidia.com/"));
    const operators = new OperatorsReady(
      this.child("operators"),
      {
        namespaces: [namespace],
        crds: SRIOV_CRDS,
        rollouts: restarts ? [{ namespace: gpuNamespace, daemonSet: toolkit }] : [],
        ...(cluster.rdmaOperator && { install: cluster.rdmaOperator }),
      },
      this.childOptions({ dependsOn: [...pools.flatMap((pool) => cluster.poolsReady[pool.name] ?? [])] }),
    );
    const after = this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...operators.ready] });
    const apiVersion = "sriovnetwork.openshift.io/v1";
    const [first] = pools;
    const addresses = customResource<IIPPool>(
      this.child("addresses"),
      {
        apiVersion: "nv-ipam.nvidia.com/v1alpha1",
        kind: "IPPool",
        name: VF_ADDRESSES.pool,
        namespace,
        spec: addressPool(pools, cluster.rdmaCidr ?? VF_ADDRESSES.subnet),
      },
      after,
    );
    const config = customResource<ISriovNetworkPoolConfig>(
      this.child("nodes"),
      { apiVersion, kind: "SriovNetworkPoolConfig", name: VF_NETWORK.name, namespace, spec: poolConfig(pools, stage) },
      after,
    );
    const policies = pools.map((pool) => ({
      name: pool.name,
      policy: customResource<ISriovNetworkNodePolicy>(
        this.child(`policy-${pool.name}`),
        { apiVersion, kind: "SriovNetworkNodePolicy", name: pool.name, namespace, spec: nodePolicy(pool) },
        // The node limit is set before the policies.
        this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...operators.ready, config] }),
      ),
    }));
    const attachment = customResource<ISriovNetwork>(
      this.child("network"),
      { apiVersion, kind: "SriovNetwork", name: VF_NETWORK.name, namespace, spec: network(first) },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...operators.ready, addresses] }),
    );
    this.ready = Object.fromEntries(
      policies.map(({ name: pool, policy }) => [pool, [addresses, config, policy, attachment]]),
    );
    this.registerOutputs({});
  }
}

export function rdmaDevices(
  name: string,
  args: RdmaDevicesArgs,
  opts: pulumi.ComponentResourceOptions,
): RdmaDevices | undefined {
  const [first, ...others] = devicePools(args.cluster);
  return first && new RdmaDevices(name, { ...args, pools: [first, ...others] }, opts);
}
