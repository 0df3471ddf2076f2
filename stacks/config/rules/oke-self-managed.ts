import { type ConfidentialShape, findConfidentialShape } from "../../../catalog/confidential";
import { knownMachine, type Rule } from "../core/rule";
import type { PoolConfig } from "../schema";
import { madePoolsOf } from "./made-pools";

/** Missing features of such machines, and values that only the environment has. */
export const confidentialPoolsAreWhole: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
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

/** OKE's autoscaler serves node pools or instance pools, not both: the system's are node pools. */
export const selfManagedPoolsHaveOneSize: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
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

/** OKE cycles its own node pools only, and preemptible machines cannot be stopped or restarted. */
export const cyclingIsOkes: Rule = function* (context) {
  for (const [name, pool] of madePoolsOf("oci", context)) {
    const why = joinsByItself(pool);
    const path = ["pools", name, "cycling"];
    if (pool.cycling !== undefined && why !== undefined) {
      yield {
        path,
        value: pool.cycling,
        allowed: `only for node pools of OKE: with ${why} nodes join by themselves, and keep what they booted with`,
        fix: "remove cycling",
      };
    } else if (pool.cycling === "boot-volume" && pool.capacity === "spot") {
      yield {
        path,
        value: pool.cycling,
        allowed: "instance or off, with capacity: spot: Oracle neither stops nor restarts preemptible machines",
        fix: "remove cycling: spot nodes are replaced by others",
      };
    }
  }
};

/** Setting that makes a pool self-managed. */
function joinsByItself(pool: PoolConfig): string | undefined {
  if (pool.rdma?.mode === "cluster-network") {
    return "rdma.mode: cluster-network";
  }
  return pool.confidential && confidentialOf(pool) ? "confidential" : undefined;
}

function confidentialOf(pool: PoolConfig): ConfidentialShape | undefined {
  return findConfidentialShape(knownMachine(pool)?.name ?? "");
}
