import { UNKNOWN } from "./field";
import type { Resource } from "./resource";

/**
 * The program writes the kubeconfig of a cluster that this stack creates, without user text; later
 * previews judge it.
 */
export function waitsForItsCluster({ type, props }: Pick<Resource, "type" | "props">): boolean {
  return type === "pulumi:providers:kubernetes" && props.get("kubeconfig").value === UNKNOWN;
}
