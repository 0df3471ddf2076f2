import type { CoreConfig } from "../../config/core/schema";

/** Labels of every alert that leaves a cluster: which environment, and where it is. */
export function placeLabels(environment: string, cluster: CoreConfig["cluster"]): Readonly<Record<string, string>> {
  return { environment, cluster: clusterName(cluster) };
}

/**
 * A cluster by its machines or its kubeconfig's context, else by its kind: a platform in a stack of its own says the same as one
 * that is made with its cluster, so a cloud's region is not in it.
 */
function clusterName(cluster: CoreConfig["cluster"]): string {
  const { kind, kubeContext } = cluster;
  const place = (cluster.kind === "edge" ? addresses(cluster.hosts) : undefined) ?? kubeContext;
  return place === undefined ? kind : `${kind}/${place}`;
}

function addresses(hosts: Readonly<Record<string, { readonly address: string }>> | undefined): string | undefined {
  const all = Object.values(hosts ?? {}).map(({ address }) => address);
  return all.length === 0 ? undefined : all.join(",");
}
