import { reservableCpus } from "../../../planner/pod-resources";
import type { ClusterKind } from "../../../planner/types";
import { knownMachine, type Rule, type RuleContext } from "../core/rule";
import type { PoolConfig } from "../schema";

/** Of a provisioned cluster in any cloud. */
export function madePools({ sections: { cluster, pools = {} } }: RuleContext): [string, PoolConfig][] {
  return cluster?.provision === "create" ? Object.entries(pools) : [];
}

/** Of a provisioned cluster in one cloud. */
export function madePoolsOf(kind: "oci" | "aws", context: RuleContext): [string, PoolConfig][] {
  return context.sections.cluster?.kind === kind ? madePools(context) : [];
}

type Reader = (pool: PoolConfig) => unknown;

/** A pool key for provisioning only: name, path and value. */
interface NodeKey {
  readonly key: string;
  readonly path: readonly string[];
  readonly read: Reader;
  /** The only cloud with it. Undefined: several. */
  readonly only?: "oci" | "aws";
  /** Replacement in the other cloud. */
  readonly instead?: string;
  /** Replacement outside clouds. */
  readonly elsewhere?: string;
}

const ZONES_OF_OWN = "uptime: { zones: 2 }, the number of zones that the nodes are in";

const NODE_KEYS: readonly NodeKey[] = [
  { key: "capacity", path: ["capacity"], read: ({ capacity }) => capacity },
  {
    key: "availabilityDomains",
    path: ["availabilityDomains"],
    read: ({ availabilityDomains }) => availabilityDomains,
    only: "oci",
    instead: "zones with their names, such as [us-east-1a]",
    elsewhere: ZONES_OF_OWN,
  },
  {
    key: "zones",
    path: ["zones"],
    read: ({ zones }) => zones,
    only: "aws",
    instead: "availabilityDomains with their numbers, such as [1]",
    elsewhere: ZONES_OF_OWN,
  },
  { key: "bootVolumeGiB", path: ["bootVolumeGiB"], read: ({ bootVolumeGiB }) => bootVolumeGiB },
  { key: "cycling", path: ["cycling"], read: ({ cycling }) => cycling, only: "oci" },
  { key: "image", path: ["image"], read: ({ image }) => image, only: "oci" },
  { key: "localDisks", path: ["localDisks"], read: ({ localDisks }) => localDisks },
  { key: "numa", path: ["numa"], read: ({ numa }) => numa },
  {
    key: "rdma.mode",
    path: ["rdma", "mode"],
    read: ({ rdma }) => rdma?.mode,
    only: "oci",
    instead: "rdma.access: efa",
  },
  {
    key: "rdma.placementGroup",
    path: ["rdma", "placementGroup"],
    read: ({ rdma }) => rdma?.placementGroup,
    only: "aws",
    instead: "rdma.mode: a compute cluster or cluster network lies close together",
  },
  { key: "confidential", path: ["confidential"], read: ({ confidential }) => confidential },
];

/** Forms of `capacity` in one cloud only. */
const CAPACITY_KEYS: readonly NodeKey[] = [
  {
    key: "capacityBlock",
    path: ["capacity", "capacityBlock"],
    read: ({ capacity }) =>
      typeof capacity === "object" && "capacityBlock" in capacity ? capacity.capacityBlock : undefined,
    only: "aws",
    instead: "capacity: {reservation: ocid1.capacityreservation.oc1…}",
  },
  {
    key: "the OCID",
    path: ["capacity", "reservation"],
    read: (pool) => reservation(pool, (id) => id.startsWith("ocid1.")),
    only: "oci",
    instead: "the id of a reservation of EC2's, such as cr-0123456789abcdef0",
  },
  {
    key: "the id",
    path: ["capacity", "reservation"],
    read: (pool) => reservation(pool, (id) => id.startsWith("cr-")),
    only: "aws",
    instead: "the OCID of a reservation of Oracle's",
  },
];

function reservation({ capacity }: PoolConfig, is: (id: string) => boolean): string | undefined {
  const id = typeof capacity === "object" && "reservation" in capacity ? capacity.reservation : undefined;
  return id !== undefined && is(id) ? id : undefined;
}

/** Clusters on existing machines. */
const MADE_ON_MACHINES: readonly ClusterKind[] = ["local", "edge"];

/**
 * Keys for provisioning existing nodes would be ignored. A second stack's environment may share its
 * pools with the provisioning one, and spot capacity affects tolerations.
 */
export const nodeKeysAreRead: Rule = function* ({ sections: { cluster, pools = {} } }) {
  const isMachineThere = cluster?.provision === "create" && MADE_ON_MACHINES.includes(cluster.kind);
  if (cluster?.provision !== "existing" && !isMachineThere) {
    return;
  }
  for (const [name, pool] of Object.entries(pools)) {
    for (const { key, path, read, elsewhere } of NODE_KEYS) {
      const value = read(pool);
      if (value !== undefined) {
        const others = [
          ...(elsewhere === undefined ? [] : [`write ${elsewhere}`]),
          ...(isMachineThere ? [] : ["let the cluster be made here"]),
        ];
        yield {
          path: ["pools", name, ...path],
          value,
          allowed:
            "only where this stack or another one makes the nodes in a cloud (cluster.provision: create or stack): it has no effect elsewhere",
          fix: [`remove ${key}`, ...others].join(", or "),
        };
      }
    }
  }
};

const CLOUDS = { oci: "Oracle's", aws: "Amazon's" } as const;

/** Keys of another cloud's machines. */
export const nodeKeysAreOfTheCloud: Rule = function* ({ sections: { cluster, pools = {} } }) {
  if (cluster === undefined || cluster.provision === "existing" || (cluster.kind !== "oci" && cluster.kind !== "aws")) {
    return;
  }
  for (const [name, pool] of Object.entries(pools)) {
    for (const { key, path, read, only, instead } of [...NODE_KEYS, ...CAPACITY_KEYS]) {
      const value = read(pool);
      if (value !== undefined && only !== undefined && only !== cluster.kind) {
        yield {
          path: ["pools", name, ...path],
          value,
          allowed: `only in a cluster of kind ${only}: it is of ${CLOUDS[only]} machines, and these are ${CLOUDS[cluster.kind]}`,
          fix: `remove ${key}${instead === undefined ? "" : `, or write ${instead}`}`,
        };
      }
    }
  }
};

/** Without local disks the array is the boot volume, by whose size pods' files are planned. */
export const localDisksAreThere: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const machine = knownMachine(pool);
    if (pool.localDisks === "pods" && machine?.localNvmeGB === 0) {
      yield {
        path: ["pools", name, "localDisks"],
        value: pool.localDisks,
        allowed: `only for machines with local NVMe disks: ${machine.name} has none`,
        fix: "remove localDisks: pods' files are on the boot volume, which the plan makes large enough",
      };
    }
  }
};

/** The policy needs kubelets that grant exclusive CPUs. */
export const numaIsOfGpuPools: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const machine = knownMachine(pool);
    if (pool.numa !== undefined && machine && (machine.gpu === undefined || reservableCpus(machine) < 1)) {
      yield {
        path: ["pools", name, "numa"],
        value: pool.numa,
        allowed: `only where the kubelet gives engines CPUs of their own: ${machine.name} has ${machine.gpu ? "no whole CPU to spare for the system" : "no GPUs"}`,
        fix: "remove numa",
      };
    }
  }
};
