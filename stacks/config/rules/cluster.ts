import {
  isSupportedKubernetes,
  kubernetesMinor,
  SUPPORTED_KUBERNETES_BY,
  supportedKubernetes,
} from "../../../catalog/kubernetes-versions";
import { OKE_AS_OF, OKE_MINORS, OKE_NEWEST } from "../../../catalog/oke";
import type { ProblemDraft } from "../core/problems";
import type { Rule } from "../core/rule";
import type { ClusterConfig } from "../core/schema";

/** Each provisioning has its required keys, and none of another. */
export const provisioningIsWhole: Rule = function* ({ sections: { cluster } }) {
  if (!cluster) {
    return;
  }
  const { provision, stackReference, kubeContext } = cluster;
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
  if (provision === "create" && kubeContext !== undefined) {
    yield {
      path: ["cluster", "kubeContext"],
      value: kubeContext,
      allowed: "only with provision: existing or stack: the kubeconfig of a cluster that is made here is its own",
      fix: "remove kubeContext, or write provision: existing",
    };
  }
  if (cluster.kind === "aws") {
    yield* blockIsWhole("eks", cluster.eks, provision);
  }
  if (cluster.kind === "oci") {
    yield* blockIsWhole("oke", cluster.oke, provision);
  }
  if (cluster.kind === "edge") {
    yield* blockIsWhole("hosts", cluster.hosts, provision);
  }
  if (cluster.kind === "local") {
    yield* blockIsWhole("local", cluster.local, provision);
  }
};

/** Required content, as users write it. */
const BLOCKS = {
  eks: "eks: {region: …, kubernetesVersion: …, zones: […], administrators: […]}",
  hosts: "hosts: {<name>: {address: …, user: …, hostKey: ssh-ed25519 …}}",
  oke: "oke: {tenancyId: …, compartmentId: …, region: …, kubernetesVersion: …}",
  local: "local: {tool: k3d} or local: {tool: kind}",
} as const;

/** Block per kind. */
const MADE_BY = { oci: "oke", aws: "eks", edge: "hosts", local: "local" } as const;

/** The block is present exactly where the cluster is provisioned. */
function* blockIsWhole(
  key: keyof typeof BLOCKS,
  block: object | undefined,
  provision: ClusterConfig["provision"],
): Generator<ProblemDraft> {
  if (provision === "create" && block === undefined) {
    yield {
      path: ["cluster", key],
      value: undefined,
      allowed: "where and how the cluster is made, with provision: create",
      fix: `add ${BLOCKS[key]}, or write provision: existing`,
    };
  }
  if (provision !== "create" && block !== undefined) {
    yield {
      path: ["cluster", key],
      value: block,
      allowed: "only with provision: create",
      fix: `write provision: create, or remove ${key}`,
    };
  }
}

/** A provisioned version must be offered by the cloud and supported by the platform. */
export const okeVersionIsServed: Rule = function* ({ sections: { cluster } }) {
  const version = cluster?.kind === "oci" ? cluster.oke?.kubernetesVersion : undefined;
  const minor = version === undefined ? undefined : kubernetesMinor(version);
  if (version === undefined || minor === undefined) {
    return;
  }
  const served = OKE_MINORS.filter(isSupportedKubernetes);
  const newest = OKE_NEWEST[served.at(-1) ?? ""];
  const path = ["cluster", "oke", "kubernetesVersion"];
  if (isSupportedKubernetes(version) === false) {
    yield {
      path,
      value: version,
      allowed: `a version of Kubernetes ${supportedKubernetes()}: ${SUPPORTED_KUBERNETES_BY} runs on no other`,
      fix: `write ${newest}; a cluster that exists goes up by one minor version at a time`,
    };
  } else if (!OKE_MINORS.includes(`1.${minor}`)) {
    yield {
      path,
      value: version,
      allowed: `a version that OKE makes clusters with, as of ${OKE_AS_OF}: ${OKE_MINORS.join(", ")}`,
      fix: `write ${newest}; a cluster that exists goes up by one minor version at a time`,
    };
  }
};

/** Keys work in their region only. */
export const keyIsOfTheCluster: Rule = function* ({ sections: { cluster } }) {
  const oke = cluster?.kind === "oci" ? cluster.oke : undefined;
  if (oke === undefined) {
    return;
  }
  const { encryptionKeyId, encryptionKeyCompartmentId, region } = oke;
  if (encryptionKeyId === undefined && encryptionKeyCompartmentId !== undefined) {
    yield {
      path: ["cluster", "oke", "encryptionKeyCompartmentId"],
      value: encryptionKeyCompartmentId,
      allowed: "only with encryptionKeyId: keys of its own are made in compartmentId",
      fix: "add encryptionKeyId, or remove encryptionKeyCompartmentId",
    };
  }
  // An OCID's fourth part is the region, abbreviated to three letters for the oldest.
  const ofKey = encryptionKeyId?.split(".")[3] ?? "";
  if (/^[a-z]{2,3}-[a-z]+-\d+$/.test(ofKey) && ofKey !== region) {
    yield {
      path: ["cluster", "oke", "encryptionKeyId"],
      value: encryptionKeyId,
      allowed: `a key of ${region}: keys of other regions encrypt nothing there`,
      fix: `take a key of ${region}, or write region: ${ofKey}`,
    };
  }
};

/** `scope` and the cluster's source must agree. */
export const scopeFitsTheCluster: Rule = function* ({ sections: { cluster, scope } }) {
  if (!cluster || scope === undefined) {
    return;
  }
  const { kind, provision } = cluster;
  if (scope === "cluster" && provision !== "create") {
    yield {
      path: ["scope"],
      value: scope,
      allowed: `all or platform with provision: ${provision}: this stack makes no cluster`,
      fix: `write provision: create with ${BLOCKS[MADE_BY[kind]]}, or scope: platform`,
    };
  }
  if (scope === "platform" && provision === "create") {
    yield {
      path: ["scope"],
      value: scope,
      allowed: "all or cluster with provision: create: this stack makes the cluster",
      fix: `for the platform alone write provision: stack and stackReference: the stack of scope: cluster that made it, and remove ${MADE_BY[kind]}; or provision: existing`,
    };
  }
};
