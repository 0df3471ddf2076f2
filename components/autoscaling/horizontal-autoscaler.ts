import type * as pulumi from "@pulumi/pulumi";
import type { ScaledModel } from "./scaled-model";

/** Makes Kubernetes itself scale one model, by recorded series that an adapter of the cluster serves. */
export function horizontalAutoscaler(_name: string, _scaled: ScaledModel, _opts: pulumi.CustomResourceOptions): void {
  // Not written yet.
}
