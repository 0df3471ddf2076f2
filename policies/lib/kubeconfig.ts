import { UNKNOWN } from "./field";
import type { Resource } from "./resource";

/**
 * Whether a provider waits for a cluster that the stack is yet to make: its kubeconfig is then written by the program from what the cloud
 * will answer, has no text of a user's, and is judged in every preview after that.
 */
export function waitsForItsCluster({ type, props }: Pick<Resource, "type" | "props">): boolean {
  return type === "pulumi:providers:kubernetes" && props.get("kubeconfig").value === UNKNOWN;
}
