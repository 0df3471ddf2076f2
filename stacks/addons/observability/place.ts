import type { CoreConfig } from "../../config/core/schema";

/** Labels of outgoing alerts: environment and cluster. */
export function placeLabels(environment: string, cluster: CoreConfig["cluster"]): Readonly<Record<string, string>> {
  return { environment, cluster: clusterName(cluster) };
}

/**
 * Machines, kubeconfig context, or kind. Without a cloud's region, so that separate platform stacks
 * have the same name as combined ones.
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
