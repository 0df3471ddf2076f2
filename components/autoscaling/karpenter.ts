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
  readonly pools: readonly EksPool[];
  readonly models: readonly RunningModel[];
}

/**
 * Karpenter with an EC2NodeClass and a NodePool per pool. Deleted in reverse order: NodePool with
 * nodes, class, which Karpenter holds while machines use it, then Karpenter.
 */
export class Karpenter extends PlatformComponent {
  /** NodePools: workloads on their nodes are deleted first. */
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
              // Helm would never upgrade CRDs of the chart's folder.
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
