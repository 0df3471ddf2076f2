import { hasOkeImage } from "../../../catalog/oke";
import { reservableCpus } from "../../../planner/pod-resources";
import { roleOf } from "../core/machines";
import type { ProblemDraft } from "../core/problems";
import { knownMachine, type Rule, type RuleContext } from "../core/rule";
import type { PoolConfig } from "../schema";

/** What only whoever makes nodes reads, and where it stands in a pool. */
const NODE_KEYS = [
  ["capacity", ["capacity"], ({ capacity }: PoolConfig) => capacity],
  ["availabilityDomains", ["availabilityDomains"], ({ availabilityDomains }: PoolConfig) => availabilityDomains],
  ["bootVolumeGiB", ["bootVolumeGiB"], ({ bootVolumeGiB }: PoolConfig) => bootVolumeGiB],
  ["image", ["image"], ({ image }: PoolConfig) => image],
  ["localDisks", ["localDisks"], ({ localDisks }: PoolConfig) => localDisks],
  ["numa", ["numa"], ({ numa }: PoolConfig) => numa],
  ["rdma.mode", ["rdma", "mode"], ({ rdma }: PoolConfig) => rdma?.mode],
  ["confidential", ["confidential"], ({ confidential }: PoolConfig) => confidential],
] as const;

/**
 * Keys of nodes that somebody else makes would be read by nobody. Where another stack makes them, its environment has the
 * same pools: what is said there may stand here too, and spot capacity decides what pods tolerate.
 */
export const nodeKeysAreRead: Rule = function* ({ sections: { cluster, pools = {} } }) {
  if (cluster?.provision !== "existing") {
    return;
  }
  for (const [name, pool] of Object.entries(pools)) {
    for (const [key, path, read] of NODE_KEYS) {
      const value = read(pool);
      if (value !== undefined) {
        yield {
          path: ["pools", name, ...path],
          value,
          allowed:
            "only where this stack or another one makes the nodes (cluster.provision: create or stack): nobody else reads it",
          fix: `remove ${key}, or let the cluster be made here`,
        };
      }
    }
  }
};

/** GPU machines are not in every availability domain, and a pool that moves to another is made anew. */
export const gpuPoolsSayWhere: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    if (knownMachine(pool)?.gpu && pool.availabilityDomains === undefined) {
      yield {
        path: ["pools", name, "availabilityDomains"],
        value: undefined,
        allowed: "where the region has these machines: GPU shapes are not in every availability domain",
        fix: "add availabilityDomains: [1], with the number of the domain that you have quota in",
      };
    }
  }
};

/** An array of no disks would be the boot volume, and pods' files are planned for it by its size. */
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

/** The policy is of kubelets that give engines CPUs of their own. */
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

/** An RDMA network lies in one place, and its machines need drivers that Oracle's OKE images lack. */
export const rdmaPoolsAreWhole: Rule = function* (context) {
  for (const [name, { rdma, image, availabilityDomains }] of madePools(context)) {
    if (rdma?.mode === undefined) {
      continue;
    }
    if (image === undefined) {
      yield {
        path: ["pools", name, "image"],
        value: undefined,
        allowed: "one of Oracle's Ubuntu images for HPC, with rdma.mode: OKE's own images have no RDMA drivers",
        fix: "import one into your compartment (docs/environments/oci-h100.md), and add image: ocid1.image.oc1…",
      };
    }
    if (availabilityDomains !== undefined && availabilityDomains.length > 1) {
      yield oneDomain(name, availabilityDomains, "with rdma.mode: a compute cluster or cluster network lies in one");
    }
  }
};

/** Every GPU image of OKE brings NVIDIA's driver. */
export const amdPoolsNameAnImage: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const machine = knownMachine(pool);
    if (machine && !hasOkeImage(machine) && pool.image === undefined && pool.rdma?.mode === undefined) {
      yield {
        path: ["pools", name, "image"],
        value: undefined,
        allowed: `an image with AMD's driver for ${machine.name}: OKE's own GPU images have NVIDIA's`,
        fix: "import one of Oracle's Ubuntu images with ROCm, and add image: ocid1.image.oc1…",
      };
    }
  }
};

/** Spot is of virtual machines, and of pods that tolerate it; a reservation is of one place. */
export const capacityFitsThePool: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const { capacity, availabilityDomains = [] } = pool;
    const machine = knownMachine(pool);
    const path = ["pools", name, "capacity"];
    if (capacity === "spot" && machine?.name.startsWith("BM.")) {
      yield {
        path,
        value: capacity,
        allowed: `on-demand or a reservation: Oracle has no preemptible bare metal, and ${machine.name} is that`,
        fix: "remove capacity, or take a shape of virtual machines (VM.…)",
      };
    }
    if (capacity === "spot" && machine && roleOf(pool, machine) === "system") {
      yield {
        path,
        value: capacity,
        allowed:
          "on-demand or a reservation: OKE taints nodes that it may take back, and gateway, model store and monitoring tolerate no taint",
        fix: "remove capacity here; take spot for a pool of models",
      };
    }
    if (typeof capacity === "object" && availabilityDomains.length > 1) {
      yield oneDomain(name, availabilityDomains, "with a reservation: its machines are in one");
    }
  }
};

function oneDomain(pool: string, value: readonly number[], why: string): ProblemDraft {
  return {
    path: ["pools", pool, "availabilityDomains"],
    value,
    allowed: `one availability domain ${why}`,
    fix: `write availabilityDomains: [${value[0] ?? 1}], or make a pool for each`,
  };
}

/** The pools of a cluster that is made here. */
export function madePools({ sections: { cluster, pools = {} } }: RuleContext): [string, PoolConfig][] {
  return cluster?.kind === "oci" && cluster.provision === "create" ? Object.entries(pools) : [];
}
