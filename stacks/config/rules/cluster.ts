import type { Rule } from "../core/rule";

/** Every way to get a cluster has what it needs, and nothing that belongs to another. */
export const provisioningIsWhole: Rule = function* ({ sections: { cluster } }) {
  if (!cluster) {
    return;
  }
  const { provision, stackReference } = cluster;
  if (provision === "stack" && stackReference === undefined) {
    yield {
      path: ["cluster", "stackReference"],
      value: undefined,
      allowed: "the stack that made the cluster, with provision: stack",
      fix: "add stackReference: <organization>/inference-stacks/<stack>, or write provision: existing",
    };
  }
  if (provision !== "stack" && stackReference !== undefined) {
    yield {
      path: ["cluster", "stackReference"],
      value: stackReference,
      allowed: "only with provision: stack",
      fix: "write provision: stack, or remove stackReference",
    };
  }
  if (cluster.kind !== "oci") {
    return;
  }
  const { oke } = cluster;
  if (provision === "create" && oke === undefined) {
    yield {
      path: ["cluster", "oke"],
      value: undefined,
      allowed: "where and how the cluster is made, with provision: create",
      fix: "add oke: {tenancyId: …, compartmentId: …, region: …, kubernetesVersion: …}, or write provision: existing",
    };
  }
  if (provision !== "create" && oke !== undefined) {
    yield {
      path: ["cluster", "oke"],
      value: oke,
      allowed: "only with provision: create",
      fix: "write provision: create, or remove oke",
    };
  }
};
