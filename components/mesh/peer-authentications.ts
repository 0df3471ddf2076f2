import type { IPeerAuthentication } from "@kubernetes-models/istio/security.istio.io/v1/PeerAuthentication";
import type { Labels } from "../../names/labels";
import type { Connections, PodConnections } from "../core/connections";
import { spoken } from "../core/network-policies";
import { comesFromOutside, tcpPorts } from "./callers";
import { type Guard, guard } from "./guard";
import type { Members } from "./members";

/** Pods and ports that accept connections from outside the mesh. */
interface OpenPorts {
  readonly labels: Labels;
  readonly ports: readonly number[];
}

/**
 * Mutual TLS for all pods of a namespace. Ports with clients outside the mesh also accept plain
 * text; AuthorizationPolicies restrict those clients.
 *
 * If two policies select a pod, only the older applies (istiod 1.30.3, ambient/authorization.go and
 * authn/policy_applier.go), so overlapping selections share one.
 *
 * @throws Error if outside clients use all ports or all pods.
 */
export function peerAuthentications(
  namespace: string,
  connections: Connections,
  members: Pick<Members, "isInMesh">,
): Guard[] {
  const open = connections.of(namespace).flatMap((pods) => openPorts(namespace, pods, members));
  return [
    guard<IPeerAuthentication>({
      apiVersion: "security.istio.io/v1",
      kind: "PeerAuthentication",
      name: "default",
      spec: { mtls: { mode: "STRICT" } },
    }),
    ...disjoint(open).map(({ labels, ports }) => {
      if (Object.keys(labels).length === 0) {
        throw new Error(
          `namespace "${namespace}": a workload outside of the mesh connects to port ${ports.join(", ")} of all pods, or of pods ` +
            "without a label in common: mutual TLS is waived at ports of labelled pods alone, so name their labels in the connection",
        );
      }
      return guard<IPeerAuthentication>({
        apiVersion: "security.istio.io/v1",
        kind: "PeerAuthentication",
        name: `plain-at-${spoken(labels)}`,
        spec: {
          selector: { matchLabels: { ...labels } },
          mtls: { mode: "STRICT" },
          portLevelMtls: Object.fromEntries(ports.map((port) => [String(port), { mode: "PERMISSIVE" as const }])),
        },
      });
    }),
  ];
}

function openPorts(
  namespace: string,
  { podLabels, incoming }: PodConnections,
  members: Pick<Members, "isInMesh">,
): OpenPorts[] {
  const ports = incoming
    .filter(({ from }) => from.some((end) => comesFromOutside(end, members)))
    .flatMap((connection) => {
      const some = tcpPorts(connection);
      if (some === undefined) {
        throw new Error(
          `connection "${connection.name}" leads from outside of the mesh to all ports of pods in "${namespace}": name the ports`,
        );
      }
      return some;
    });
  return ports.length > 0 ? [{ labels: podLabels, ports: sorted(ports) }] : [];
}

/** Merges overlapping selections until no pod can match two; may open more ports than given. */
function disjoint(selections: readonly OpenPorts[]): readonly OpenPorts[] {
  for (const one of selections) {
    const other = selections.find((each) => each !== one && mayMeet(one.labels, each.labels));
    if (other) {
      const rest = selections.filter((each) => each !== one && each !== other);
      return disjoint([
        ...rest,
        { labels: inCommon(one.labels, other.labels), ports: sorted([...one.ports, ...other.ports]) },
      ]);
    }
  }
  return selections;
}

/** Whether a pod can match both: a label has one value. */
function mayMeet(one: Labels, other: Labels): boolean {
  return Object.entries(one).every(([label, value]) => (other[label] ?? value) === value);
}

function inCommon(one: Labels, other: Labels): Labels {
  return Object.fromEntries(Object.entries(one).filter(([label, value]) => other[label] === value));
}

function sorted(ports: readonly number[]): number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}
