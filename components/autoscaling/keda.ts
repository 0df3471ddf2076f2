import type * as pulumi from "@pulumi/pulumi";
import type { Stage } from "../../planner/types";
import { PlatformComponent } from "../core/platform-component";

export interface KedaArgs {
  readonly stage: Stage;
}

/** KEDA: it reads signals from Prometheus, and gives them to the HorizontalPodAutoscalers that it makes. */
export class Keda extends PlatformComponent {
  /** ScaledObjects come after it, and go before it: KEDA itself takes its finalizer off them. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, _args: KedaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Keda", name, opts);
    this.ready = [];
    this.registerOutputs({});
  }
}
