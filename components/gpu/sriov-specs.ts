/** What the SR-IOV network operator is told, from the catalogue and the pools. Plain data. */
import { VF_ADDRESSES, VF_NETWORK, VF_POLICY, type VirtualFunctions, virtualFunctionsOf } from "../../catalog/sriov";
import { ipv4Cidr, parseCidr } from "../../names/cidr";
import { MACHINE_LABEL, POOL_LABEL } from "../../planner/pool-labels";
import type { Stage } from "../../planner/types";
import type { Cluster, ClusterPool } from "../core/cluster";
import type { IIPPool, ISriovNetwork, ISriovNetworkNodePolicy, ISriovNetworkPoolConfig } from "./sriov-types";

type Spec<T extends { readonly spec?: object }> = NonNullable<T["spec"]>;

/** A pool whose pods get virtual functions. */
export interface DevicePool {
  readonly name: string;
  readonly pool: ClusterPool;
  readonly devices: VirtualFunctions;
}

/**
 * Pools whose devices are the platform's to offer: their cloud installs the operator, and knows nothing of the ports.
 *
 * @throws Error when the catalogue does not know the ports of a shape that it knows a fabric of: a test holds it to both.
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

/** Nodes of the pool alone: another one of the same machines may have no use for them. */
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

/** @param stage in production a change goes through one node at a time: what runs on it leaves first. */
export function poolConfig(pools: readonly DevicePool[], stage: Stage): Spec<ISriovNetworkPoolConfig> {
  return {
    maxUnavailable: stage === "production" ? 1 : "100%",
    nodeSelector: { matchExpressions: [machinesOf(pools)] },
  };
}

/**
 * One virtual function for each time that a pod names it. Several interfaces of one network are in a pod: each answers for its own
 * address alone, and sends through itself what has it as source (`sbr`); `rdma` moves the RDMA device into the pod with its interface.
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

/** @throws Error when `subnet` is no network of IPv4. */
export function addressPool(pools: readonly DevicePool[], subnet: string): Spec<IIPPool> {
  const found = parseCidr(subnet);
  if (found?.family !== 4) {
    throw new Error(`"${subnet}" is no network of IPv4`);
  }
  const [gateway = ""] = ipv4Cidr(found.first + 1n, 32).split("/");
  return {
    subnet,
    perNodeBlockSize: VF_ADDRESSES.perNode,
    // Nobody listens there, and no route leads to it: the plugin asks for one that pods do not get.
    gateway,
    nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [machinesOf(pools)] }] },
  };
}

function machinesOf(pools: readonly DevicePool[]) {
  const values = [...new Set(pools.map(({ pool }) => pool.shape))].sort();
  return { key: MACHINE_LABEL, operator: "In" as const, values };
}
