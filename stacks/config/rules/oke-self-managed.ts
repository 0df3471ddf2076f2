import { CONFIDENTIAL_SHAPES, type ConfidentialShape, findConfidentialShape } from "../../../catalog/confidential";
import type { MachineShape } from "../../../catalog/shapes";
import { knownMachine, type Rule } from "../core/rule";
import type { PoolConfig } from "../schema";
import { madePools } from "./oke-pools";

/** Memory that the host cannot read is of processors, and of clouds that know how to ask for it. */
export const machinesCanBeConfidential: Rule = function* ({ sections: { cluster, pools = {} } }) {
  if (cluster === undefined || cluster.provision === "existing") {
    return;
  }
  for (const [name, pool] of Object.entries(pools)) {
    const machine = knownMachine(pool);
    if (!pool.confidential || machine === undefined) {
      continue;
    }
    if (cluster.kind !== "oci" || findConfidentialShape(machine.name) === undefined) {
      const where = CONFIDENTIAL_SHAPES.join(" or ");
      yield {
        path: ["pools", name, "confidential"],
        value: true,
        allowed: `only on Oracle's shapes ${where} in a cluster of kind oci: ${reason(machine)}`,
        fix: `remove confidential, or take shape ${where}`,
      };
    }
  }
};

function reason({ name, provider, gpu, cpu }: MachineShape): string {
  if (provider !== "oci") {
    return `nobody here makes machines of ${name} whose memory is encrypted`;
  }
  if (gpu) {
    return `of Oracle's machines with GPUs, as ${name}, none encrypts its memory`;
  }
  return cpu.arch === "arm64"
    ? `${name} has Arm processors, and AMD's alone can do it at Oracle`
    : `Oracle does not name ${name} among the shapes that can`;
}

/** What Oracle has not for such machines, and what only the environment can know. */
export const confidentialPoolsAreWhole: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const known = pool.confidential ? confidentialOf(pool) : undefined;
    if (known === undefined) {
      continue;
    }
    if (pool.image === undefined) {
      yield {
        path: ["pools", name, "image"],
        value: undefined,
        allowed: `an image that Oracle marks for confidential computing, with OKE's packages for nodes, with confidential: ${known.systems}`,
        fix: "add image: ocid1.image.oc1… (docs/clusters.md, Nodes that join by themselves)",
      };
    }
    if (pool.capacity !== undefined && pool.capacity !== "on-demand") {
      yield {
        path: ["pools", name, "capacity"],
        value: pool.capacity,
        allowed: "on-demand, with confidential: Oracle has neither preemptible nor reserved machines of this kind",
        fix: "remove capacity",
      };
    }
  }
};

/** OKE's autoscaler serves node pools or instance pools, never both: the system pool is of the first kind. */
export const selfManagedPoolsHaveOneSize: Rule = function* (context) {
  for (const [name, pool] of madePools(context)) {
    const why = joinsByItself(pool);
    const most = pool.maxNodes ?? Math.max(1, pool.minNodes);
    if (why !== undefined && pool.minNodes !== most) {
      const size = Math.max(1, pool.minNodes);
      yield {
        path: ["pools", name, "maxNodes"],
        value: pool.maxNodes,
        allowed: `the same as minNodes (${pool.minNodes}), with ${why}: OKE's autoscaler does not make such nodes, so that a pool has as many as it says`,
        fix: `write minNodes: ${size} and maxNodes: ${size}`,
      };
    }
  }
};

/** The setting by which nodes of a pool join by themselves. */
function joinsByItself(pool: PoolConfig): string | undefined {
  if (pool.rdma?.mode === "cluster-network") {
    return "rdma.mode: cluster-network";
  }
  return pool.confidential && confidentialOf(pool) ? "confidential" : undefined;
}

function confidentialOf(pool: PoolConfig): ConfidentialShape | undefined {
  return findConfidentialShape(knownMachine(pool)?.name ?? "");
}
