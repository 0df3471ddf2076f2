/** Plain data from catalogue and pools. */
import { VF_ADDRESSES, VF_NETWORK, VF_POLICY, type VirtualFunctions, virtualFunctionsOf } from "../../catalog/sriov";
import { ipv4Cidr, parseCidr } from "../../names/cidr";
import { MACHINE_LABEL, POOL_LABEL } from "../../planner/pool-labels";
import type { Stage } from "../../planner/types";
import type { Cluster, ClusterPool } from "../core/cluster";
import type { IIPPool, ISriovNetwork, ISriovNetworkNodePolicy, ISriovNetworkPoolConfig } from "./sriov-types";

type Spec<T extends { readonly spec?: object }> = NonNullable<T["spec"]>;

export interface DevicePool {
  readonly name: string;
  readonly pool: ClusterPool;
  readonly devices: VirtualFunctions;
}

/**
 * Pools whose devices the platform exposes: their cloud installs the operator without port
 * configuration.
 *
 * @throws Error if the catalogue has a shape's fabric but not its ports; a test requires both.
 */
export function devicePools({ gpuSoftware, pools }: Pick<Cluster, "gpuSoftware" | "pools">): DevicePool[] {
  if (gpuSoftware !== "addon") {
    return [];
  }
  return Object.entries(pools).flatMap(([name, pool]) => {
    if (pool.fabric?.access !== "virtual-functions") {
      return [];
    }
    const devices = virtualFunctionsOf(pool.shape);
    if (devices === undefined) {
      throw new Error(`pools.${name}: catalog/sriov.json knows no ports of ${pool.shape}`);
    }
    return [{ name, pool, devices }];
  });
}

/** Only nodes of this pool: other pools of the same machines may not use the devices. */
export function nodePolicy({ name, pool, devices }: DevicePool): Spec<ISriovNetworkNodePolicy> {
  const { vendor, numVfs, priority, deviceType } = VF_POLICY;
  return {
    resourceName: devices.resourceName,
    nodeSelector: { [MACHINE_LABEL]: pool.shape, [POOL_LABEL]: name },
    nicSelector: { vendor, rootDevices: devices.pci },
    deviceType,
    numVfs,
    mtu: devices.mtu,
    priority,
    isRdma: true,
    externallyManaged: true,
  };
}

/** @param stage production changes one node at a time, after draining. */
export function poolConfig(pools: readonly DevicePool[], stage: Stage): Spec<ISriovNetworkPoolConfig> {
  return {
    maxUnavailable: stage === "production" ? 1 : "100%",
    nodeSelector: { matchExpressions: [machinesOf(pools)] },
  };
}

/**
 * One virtual function per request. With several interfaces in one network, source routing (`sbr`)
 * makes each use its own address. `rdma` moves the RDMA device into the pod.
 */
export function network({ devices }: DevicePool): Spec<ISriovNetwork> {
  const plugins = [{ type: "tuning", sysctl: VF_NETWORK.sysctl, mtu: devices.mtu }, { type: "rdma" }, { type: "sbr" }];
  return {
    resourceName: devices.resourceName,
    networkNamespace: devices.networkNamespace,
    spoofChk: VF_NETWORK.spoofChk,
    ipam: JSON.stringify({ type: "nv-ipam", poolName: VF_ADDRESSES.pool }),
    metaPlugins: plugins.map((plugin) => JSON.stringify(plugin)).join(","),
  };
}

/** @throws Error if `subnet` is not an IPv4 network. */
export function addressPool(pools: readonly DevicePool[], subnet: string): Spec<IIPPool> {
  const found = parseCidr(subnet);
  if (found?.family !== 4) {
    throw new Error(`"${subnet}" is no network of IPv4`);
  }
  const [gateway = ""] = ipv4Cidr(found.first + 1n, 32).split("/");
  return {
    subnet,
    perNodeBlockSize: VF_ADDRESSES.perNode,
    // Unused address without a route: the plugin requires one, but pods do not get it.
    gateway,
    nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [machinesOf(pools)] }] },
  };
}

function machinesOf(pools: readonly DevicePool[]) {
  const values = [...new Set(pools.map(({ pool }) => pool.shape))].sort();
  return { key: MACHINE_LABEL, operator: "In" as const, values };
}
