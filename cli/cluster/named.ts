import type { ClusterConfig } from "../../stacks/config";
import type { KubeconfigSource } from "./kubeconfig";

/**
 * Who makes an environment's cluster, where nobody says which one of a kubeconfig it is: the current context is some other then.
 * Undefined where the cluster is named, or is the one that `pulumi up` would take too.
 */
export function makerOfUnnamed(
  { provision, kubeContext }: Pick<ClusterConfig, "provision" | "kubeContext">,
  { kubeconfig, text, context }: KubeconfigSource,
): string | undefined {
  const isNamed = kubeconfig !== undefined || text !== undefined || context !== undefined || kubeContext !== undefined;
  if (provision === "existing" || isNamed) {
    return undefined;
  }
  return provision === "create" ? "this stack makes the cluster" : "another stack makes the cluster";
}
