import type * as pulumi from "@pulumi/pulumi";
import type { ScaledModel } from "./scaled-model";

export interface ScaledObjectArgs {
  readonly scaled: ScaledModel;
  readonly prometheusUrl: string;
}

/** Makes KEDA scale one model. */
export function scaledObject(_name: string, _args: ScaledObjectArgs, _opts: pulumi.CustomResourceOptions): void {
  // Not written yet.
}
