import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, type Labels } from "../../names/labels";
import { type Connection, type Connections, type End, isPods, type PodConnections } from "./connections";
import { toDns } from "./network";

type NetworkPolicySpec = pulumi.Unwrap<kubernetes.types.input.networking.v1.NetworkPolicySpec>;
type NetworkPolicyPeer = pulumi.Unwrap<kubernetes.types.input.networking.v1.NetworkPolicyPeer>;
type NetworkPolicyPort = pulumi.Unwrap<kubernetes.types.input.networking.v1.NetworkPolicyPort>;

export interface PolicyOfPods {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: NetworkPolicySpec;
}

/** Denies traffic that no policy allows. */
export const DEFAULT_DENY = "default-deny";

/**
 * NetworkPolicies of a namespace: a default deny, and one per further pod selection with
 * connections. One per connection would cost more requests, state and list entries.
 *
 * @throws Error if two selections give the same name.
 */
export function networkPolicies(namespace: string, connections: Connections | undefined): PolicyOfPods[] {
  const [all, ...some] = connections?.of(namespace) ?? [NOTHING];
  const { incoming, outgoing } = all ?? NOTHING;
  const closed = { podLabels: {}, incoming, outgoing: [toDns(namespace, connections?.dnsCaches), ...outgoing] };
  const policies = [
    {
      name: DEFAULT_DENY,
      annotations: {
        [ANNOTATIONS.description]:
          "Nothing goes in or out of any pod here but by the connections of this namespace's policies",
        [ANNOTATIONS.connections]: listed(closed),
      },
      spec: { ...networkPolicySpec(namespace, closed), policyTypes: ["Ingress", "Egress"] },
    },
    ...some.map((pods) => ({
      name: policyName(pods.podLabels),
      annotations: {
        [ANNOTATIONS.description]: "The connections of these pods, besides those of every pod here",
        [ANNOTATIONS.connections]: listed(pods),
      },
      spec: networkPolicySpec(namespace, pods),
    })),
  ];
  const duplicate = policies.find(({ name }, i) => policies.findIndex((other) => other.name === name) !== i);
  if (duplicate) {
    throw new Error(`namespace "${namespace}" selects different pods by labels that read alike: ${duplicate.name}`);
  }
  return policies;
}

const NOTHING: PodConnections = { podLabels: {}, incoming: [], outgoing: [] };

/** Policy for connections of a pod selection: one rule each. */
export function networkPolicySpec(
  namespace: string,
  { podLabels, incoming, outgoing }: PodConnections,
): NetworkPolicySpec {
  return {
    podSelector: selector(podLabels),
    policyTypes: [...(incoming.length > 0 ? ["Ingress"] : []), ...(outgoing.length > 0 ? ["Egress"] : [])],
    ...(incoming.length > 0 && {
      ingress: incoming.map((connection) => ({ ...peers("from", connection.from, namespace), ...ports(connection) })),
    }),
    ...(outgoing.length > 0 && {
      egress: outgoing.map((connection) => ({ ...peers("to", connection.to, namespace), ...ports(connection) })),
    }),
  };
}

function ports({ ports: given }: Connection): { ports?: NetworkPolicyPort[] } {
  return given ? { ports: given.map(({ port, protocol = "TCP" }) => ({ port, protocol })) } : {};
}

/**
 * Peers of a rule; empty means any. The field is then omitted, because the API server drops empty
 * lists.
 */
function peers(
  key: "from" | "to",
  ends: readonly End[],
  namespace: string,
): { [K in "from" | "to"]?: NetworkPolicyPeer[] } {
  return ends.some((end) => "anyone" in end) ? {} : { [key]: ends.map((end) => peer(end, namespace)) };
}

function peer(end: End, namespace: string): NetworkPolicyPeer {
  if (isPods(end)) {
    const { podLabels } = end;
    if (end.namespace === namespace) {
      return { podSelector: selector(podLabels) };
    }
    return {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": end.namespace } },
      ...(Object.keys(podLabels).length > 0 && { podSelector: selector(podLabels) }),
    };
  }
  if ("cidr" in end) {
    return { ipBlock: { cidr: end.cidr, ...(end.except && { except: [...end.except] }) } };
  }
  return { namespaceSelector: {} };
}

function selector(labels: Labels) {
  return Object.keys(labels).length > 0 ? { matchLabels: { ...labels } } : {};
}

/** Human-readable connections, one line per reason: `in <names>: <reason>`. */
function listed({ incoming, outgoing }: PodConnections): string {
  return [...reasons("in", incoming), ...reasons("out", outgoing)].join("\n");
}

export function reasons(direction: "in" | "out", connections: readonly Connection[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, reason } of connections) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  return [...byReason].map(([reason, names]) => `${direction} ${names.join(", ")}: ${reason}`);
}

export function policyName(labels: Labels): string {
  return `allow-${spoken(labels)}`;
}

/** Label values for object names, or keys of boolean labels. */
export function spoken(labels: Labels): string {
  const words = Object.entries(labels).map(([label, value]) => (value === "true" ? label.replace(/^.*\//, "") : value));
  const needed = [...new Set(words)].filter((word, _, all) => !all.some((other) => other.startsWith(`${word}-`)));
  return needed
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-");
}
