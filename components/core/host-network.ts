import { type Connection, type End, isPods } from "./connections";
import { type ClusterNetworks, privateNetworks } from "./network";

/**
 * Connections of pods that are on the network of their nodes. They have their node's address, which no selector of a
 * NetworkPolicy matches: the other end must let addresses in, or out to them. Their own policies hold them to nothing.
 *
 * @param namespaces whose pods are on the network of their nodes.
 */
export function withHostNetwork(
  connections: readonly Connection[],
  namespaces: ReadonlySet<string>,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): Connection[] {
  const isOnHost = (end: End) => isPods(end) && namespaces.has(end.namespace);
  // Where an end is addresses already, nodes are among them or are no part of it.
  const besides = (ends: readonly End[]): readonly End[] =>
    ends.some(isOnHost) ? [...ends, ...privateNetworks(networks)] : ends;
  return connections.map((connection) => {
    const { from, to } = connection;
    // Both on the host: no policy has a say.
    return [...from, ...to].every(isOnHost) ? connection : { ...connection, from: besides(from), to: besides(to) };
  });
}
