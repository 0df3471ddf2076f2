import type * as pulumi from "@pulumi/pulumi";
import type { Stage } from "../../planner/types";
import type { CertManager } from "../certificates/cert-manager";
import { PlatformComponent } from "../core/platform-component";
import { horizontalAutoscaler } from "./horizontal-autoscaler";
import { Keda } from "./keda";
import { placeholderPods, withSpareReplicas } from "./placeholder-pods";
import type { ScaledModel } from "./scaled-model";
import { scaledObject } from "./scaled-object";

export interface AutoscalingArgs {
  readonly stage: Stage;
  /** At least one. */
  readonly models: readonly ScaledModel[];
  /** Servers by model name: an autoscaler depends on its target. */
  readonly servers: Readonly<Record<string, pulumi.Resource>>;
  readonly prometheusUrl: string;
  readonly certManager: CertManager;
}

/** KEDA if a model needs it, and one autoscaler per model. */
export class Autoscaling extends PlatformComponent {
  constructor(name: string, args: AutoscalingArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Autoscaling", name, opts);
    const { stage, models, servers, prometheusUrl, certManager } = args;
    const keda = usesKeda(models)
      ? new Keda(this.child("keda"), { stage, certManager }, this.childOptions())
      : undefined;
    for (const scaled of models) {
      const { name: model } = scaled.model;
      const server = servers[model];
      const after = this.childOptions({ dependsOn: [...(keda?.ready ?? []), ...(server ? [server] : [])] });
      if (scaled.scaling.by === "keda") {
        scaledObject(this.child(model), { scaled, prometheusUrl }, after);
      } else {
        horizontalAutoscaler(this.child(model), scaled, after);
      }
    }
    const spare = withSpareReplicas(models);
    if (spare.length > 0) {
      placeholderPods(this.child("spare"), spare, this.childOptions());
    }
    this.registerOutputs({});
  }
}

export function usesKeda(models: readonly Pick<ScaledModel, "scaling">[]): boolean {
  return models.some(({ scaling }) => scaling.by === "keda");
}
