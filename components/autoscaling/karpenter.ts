import type * as pulumi from "@pulumi/pulumi";
import { AWS_ACCOUNTS } from "../../names/aws";
import type { Stage } from "../../planner/types";
import type { EksPool } from "../cluster/eks/settings";
import type { AwsGround, KarpenterGround } from "../core/cluster";
import { Controller } from "../core/controller";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { EC2_NODE_CLASS, ec2NodeClass } from "./ec2-node-class";
import type { IEC2NodeClass, INodePool } from "./karpenter-types";
import { KARPENTER_RELEASE, karpenterValues } from "./karpenter-values";
import { deleteTimeout, type RunningModel } from "./node-limits";
import { nodePool } from "./node-pool";

export interface KarpenterArgs {
  readonly stage: Stage;
  readonly ground: AwsGround;
  readonly karpenter: KarpenterGround;
  /** Those whose nodes it makes. */
  readonly pools: readonly EksPool[];
  /** Of the whole plan. */
  readonly models: readonly RunningModel[];
}

/**
 * Karpenter, and for every pool what it may make: an EC2NodeClass and a NodePool. They go in the order opposite to that in
 * which they came: a NodePool with its nodes, a class that Karpenter holds until no machine is of it, then Karpenter itself.
 */
export class Karpenter extends PlatformComponent {
  /** NodePools: what runs on their nodes goes before they do. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: KarpenterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Karpenter", name, opts);
    const { stage, ground, karpenter, pools, models } = args;
    const controller = new Controller(
      this.child("controller"),
      {
        namespace: AWS_ACCOUNTS.karpenter.namespace,
        crds: { chart: "karpenter-crd", release: "karpenter-crd" },
        contents: () => ({
          charts: [
            {
              chart: "karpenter",
              release: KARPENTER_RELEASE,
              values: karpenterValues(stage, ground, karpenter),
              // Those of the chart's own folder would never be upgraded.
              skipCrds: true,
            },
          ],
        }),
      },
      this.childOptions(),
    );
    this.ready = pools.map((pool) => {
      const after = (...dependsOn: readonly pulumi.Resource[]) =>
        this.childOptions<pulumi.CustomResourceOptions>({
          dependsOn: [...dependsOn],
          customTimeouts: { delete: deleteTimeout(pool, models) },
        });
      const nodeClass = customResource<IEC2NodeClass>(
        this.child(`class-${pool.plan.name}`),
        {
          apiVersion: "karpenter.k8s.aws/v1",
          kind: EC2_NODE_CLASS.kind,
          name: pool.plan.name,
          spec: ec2NodeClass(pool, karpenter),
        },
        after(...controller.releases),
      );
      return customResource<INodePool>(
        this.child(`pool-${pool.plan.name}`),
        { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: pool.plan.name, spec: nodePool(pool, models) },
        after(nodeClass),
      );
    });
    this.registerOutputs({});
  }
}
