import type * as pulumi from "@pulumi/pulumi";
import type { ModelPlan } from "../../planner/types";
import type { EksPool } from "../cluster/eks/settings";
import type { AwsGround, KarpenterGround } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";

export interface KarpenterArgs {
  readonly ground: AwsGround;
  readonly karpenter: KarpenterGround;
  /** Those whose nodes it makes. */
  readonly pools: readonly EksPool[];
  /** Of the whole plan. */
  readonly models: readonly ModelPlan[];
}

/** Karpenter, and for every pool what it may make: an EC2NodeClass and a NodePool. */
export class Karpenter extends PlatformComponent {
  /** NodePools: what runs on their nodes goes before they do. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, _args: KarpenterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Karpenter", name, opts);
    this.ready = [];
    this.registerOutputs({});
  }
}
