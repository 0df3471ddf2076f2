import { type Connection, type End, isPods } from "./connections";
import { type ClusterNetworks, privateNetworks } from "./network";

/**
 * Adapts connections of host network pods: no pod selector matches their node's address, so the
 * other end must allow addresses. Their own policies have no effect.
 *
 * @param namespaces with host network pods.
 */
export function withHostNetwork(
  connections: readonly Connection[],
  namespaces: ReadonlySet<string>,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): Connection[] {
  const isOnHost = (end: End) => isPods(end) && namespaces.has(end.namespace);
  // Address ends already include nodes, or concern none.
  const besides = (ends: readonly End[]): readonly End[] =>
    ends.some(isOnHost) ? [...ends, ...privateNetworks(networks)] : ends;
  return connections.map((connection) => {
    const { from, to } = connection;
    // Both on the host: NetworkPolicies do not apply.
    return [...from, ...to].every(isOnHost) ? connection : { ...connection, from: besides(from), to: besides(to) };
  });
}
