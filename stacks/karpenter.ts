import type { KarpenterArgs } from "../components/autoscaling/karpenter";
import type { Cluster } from "../components/core/cluster";
import type { DeploymentPlan } from "../planner/types";
import type { CoreConfig } from "./config/core/schema";
import { eksPools } from "./eks-pools";

interface Where {
  readonly environment: Pick<CoreConfig, "pools">;
  readonly plan: Pick<DeploymentPlan, "pools" | "models" | "stage">;
  readonly cluster: Pick<Cluster, "aws">;
}

/** Undefined without nodes for Karpenter. */
export function karpenter({ environment, plan, cluster: { aws } }: Where): KarpenterArgs | undefined {
  if (aws?.karpenter === undefined) {
    return undefined;
  }
  const pools = eksPools(environment.pools, plan, aws.zones).filter(({ karpenterNodes }) => karpenterNodes > 0);
  return { stage: plan.stage, ground: aws, karpenter: aws.karpenter, pools, models: plan.models };
}
