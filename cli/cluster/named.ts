import type { ClusterConfig } from "../../stacks/config";
import type { KubeconfigSource } from "./kubeconfig";

/**
 * Creator of a cluster whose kubeconfig context is unnamed: the current context is then another
 * one's. Undefined for named clusters, and where `pulumi up` uses the same.
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
