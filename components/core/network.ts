import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "./labels";

type Rule = kubernetes.types.input.networking.v1.NetworkPolicyPeer;

/** The other end of an allowed connection. */
export type Peer =
  /** Pods of the same namespace. */
  | { readonly pods: Labels }
  /** Pods (all, unless labels are given) of a namespace. */
  | { readonly namespace: string; readonly pods?: Labels }
  /** Pods of whichever namespace: for parts that the platform did not install. Give ports with it. */
  | { readonly anyNamespace: true; readonly pods?: Labels }
  /** Addresses. */
  | { readonly cidr: string; readonly except?: readonly string[] };

export interface Port {
  readonly port: number;
  readonly protocol?: "TCP" | "UDP";
}

/**
 * One named hole in a namespace's default-deny policy. Name it after the reason
 * (`gateway`, `model-store`, `registry`), because that is what an auditor reads.
 */
export interface Allowance {
  readonly name: string;
  /** Pods it applies to; all pods of the namespace when empty. */
  readonly pods: Labels;
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  /** Destination ports; all ports when left out. */
  readonly ports?: readonly Port[];
}

/** Pods of a known place. */
export interface PodSelection {
  readonly namespace: string;
  readonly podLabels: Labels;
}

/** The pods of a selection, as the other end of a connection. */
export function podsOf({ namespace, podLabels }: PodSelection): Peer {
  return { namespace, pods: podLabels };
}

/** CoreDNS, which carries this label on k3s, OKE and EKS. */
export const CLUSTER_DNS: Peer = { namespace: "kube-system", pods: { "k8s-app": "kube-dns" } };

/** Everything outside the cluster's own networks. */
export function internet(privateCidrs: readonly string[]): Peer {
  // The instance metadata service hands out node credentials: it is never part of "the internet".
  return { cidr: "0.0.0.0/0", except: [...new Set([...privateCidrs, "169.254.0.0/16"])] };
}

/** The Kubernetes API server. Its address is not selectable by labels, and is outside the pod network. */
export function kubernetesApi(name: string, pods: Labels): Allowance {
  return { name, pods, to: [{ cidr: "0.0.0.0/0" }], ports: [{ port: 443 }, { port: 6443 }] };
}

/** Admission webhooks: the API server calls from addresses that no selector matches. */
export function fromKubernetesApi(name: string, pods: Labels, ports: readonly Port[]): Allowance {
  return { name, pods, from: [{ cidr: "0.0.0.0/0" }], ports };
}

/** Spec of the NetworkPolicy that grants an allowance. */
export function networkPolicySpec(
  allowance: Allowance,
): pulumi.Unwrap<kubernetes.types.input.networking.v1.NetworkPolicySpec> {
  const ports = allowance.ports?.map(({ port, protocol }) => ({ port, protocol: protocol ?? "TCP" }));
  return {
    podSelector: { matchLabels: { ...allowance.pods } },
    policyTypes: [...(allowance.from ? ["Ingress"] : []), ...(allowance.to ? ["Egress"] : [])],
    ...(allowance.from && { ingress: [{ from: allowance.from.map(peer), ...(ports && { ports }) }] }),
    ...(allowance.to && { egress: [{ to: allowance.to.map(peer), ...(ports && { ports }) }] }),
  };
}

function peer(p: Peer): pulumi.Unwrap<Rule> {
  if ("cidr" in p) {
    return { ipBlock: { cidr: p.cidr, ...(p.except && { except: [...p.except] }) } };
  }
  if ("namespace" in p) {
    return {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": p.namespace } },
      ...(p.pods && { podSelector: { matchLabels: { ...p.pods } } }),
    };
  }
  if ("anyNamespace" in p) {
    return { namespaceSelector: {}, ...(p.pods && { podSelector: { matchLabels: { ...p.pods } } }) };
  }
  return { podSelector: { matchLabels: { ...p.pods } } };
}
