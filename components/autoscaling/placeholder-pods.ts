import type * as pulumi from "@pulumi/pulumi";
import type { ScaledModel } from "./scaled-model";

/** Keeps room for spare replicas on nodes, with pods that leave at once for a real one. */
export function placeholderPods(_name: string, _scaled: ScaledModel, _opts: pulumi.CustomResourceOptions): void {
  // Not written yet.
}
