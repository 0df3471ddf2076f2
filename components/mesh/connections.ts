/** Additional connections of a mesh: tunnels, probes, control plane. */
import { parseCidr } from "../../names/cidr";
import { type Connection, connect, type End, isPods, type PodSelection, type Port, podsIn } from "../core/connections";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import type { Members } from "./members";
import { ISTIO_PODS, MESH_PORTS, NODE_SOURCE } from "./names";

/**
 * Declared connections, and those that NetworkPolicies must allow for the mesh. Policies see
 * packets on the node: between ambient members the tunnel to port 15008, with sidecars the declared
 * port.
 */
export function withMesh(
  declared: readonly Connection[],
  members: Members,
  networks: ClusterNetworks,
): readonly Connection[] {
  const controlPlane = [
    toKubernetesApi("mesh", [ISTIO_PODS.istiod, ISTIO_PODS.cni], networks),
    fromKubernetesApi("mesh", ISTIO_PODS.istiod, [MESH_PORTS.webhooks]),
  ];
  return members.mode === "ambient"
    ? [
        ...declared.flatMap((connection) => tunnelled(connection, members)),
        ...controlPlane,
        toIstiod("ztunnel-to-istiod", "Agents fetch the configuration and the certificates of their node's pods", [
          ISTIO_PODS.ztunnel,
        ]),
        ...probes(members, networks),
      ]
    : [
        ...declared,
        ...controlPlane,
        ...(members.inside.length > 0
          ? [
              toIstiod(
                "sidecars-to-istiod",
                "Sidecars fetch their configuration and certificates",
                members.inside.map(podsIn),
              ),
            ]
          : []),
      ];
}

/** Clients that fetch mesh certificates themselves. */
export function toIstiod(name: string, reason: string, from: readonly PodSelection[]): Connection {
  return connect({ name, reason, from, to: ISTIO_PODS.istiod, ports: [MESH_PORTS.istiod] });
}

/**
 * Tunnel between members, in addition to the connection's ports, which stay for UDP and for
 * transitions. Mesh policies forbid plain text, and separate ports within the tunnel.
 */
function tunnelled(connection: Connection, { isInMesh }: Members): Connection[] {
  const isMember = (end: End): end is PodSelection => isPods(end) && isInMesh(end.namespace);
  const { name, reason, ports } = connection;
  const from = connection.from.filter(isMember);
  const to = connection.to.filter(isMember);
  if (from.length === 0 || to.length === 0 || ports === undefined || !ports.some(isTcp)) {
    return [connection];
  }
  if (from.length === connection.from.length && to.length === connection.to.length) {
    return [{ ...connection, ports: [...ports, { port: MESH_PORTS.tunnel }] }];
  }
  return [connection, connect({ name: `${name}-tunnel`, reason, from, to, ports: [MESH_PORTS.tunnel] })];
}

function isTcp({ protocol = "TCP" }: Port): boolean {
  return protocol === "TCP";
}

/** Kubelet probes use ports chosen by each chart: all are open to the pod's own node. */
function probes({ inside }: Members, { privateCidrs }: ClusterNetworks): Connection[] {
  const hasIpv6 = privateCidrs.some((cidr) => parseCidr(cidr)?.family === 6);
  return inside.length === 0
    ? []
    : [
        connect({
          name: "probes-to-mesh",
          reason: "Kubelets probe pods in the mesh from an address that their node's agent gives them",
          from: [{ cidr: NODE_SOURCE.ipv4 }, ...(hasIpv6 ? [{ cidr: NODE_SOURCE.ipv6 }] : [])],
          to: inside.map(podsIn),
        }),
      ];
}
