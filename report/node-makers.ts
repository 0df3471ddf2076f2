import type { DeploymentPlan } from "../planner/types";
import type { EnvironmentConfig } from "../stacks/config";
import { eksPools } from "../stacks/eks-pools";

/** Who makes the nodes of a pool of an EKS cluster of our own. */
export interface NodeMakers {
  readonly pool: string;
  /** Nodes of a managed node group: they always run. */
  readonly group: number;
  /** Most nodes that Karpenter makes, while pods ask for them. */
  readonly karpenter: number;
}

/** By pool, in plan order; undefined unless the stack creates a cluster on AWS. */
export function nodeMakers(
  { cluster, pools }: Pick<EnvironmentConfig, "cluster" | "pools">,
  plan: Pick<DeploymentPlan, "pools" | "models">,
): readonly NodeMakers[] | undefined {
  if (cluster.kind !== "aws" || cluster.provision === "existing") {
    return undefined;
  }
  return eksPools(pools, plan, cluster.eks?.zones ?? []).map(({ plan: { name }, groupNodes, karpenterNodes }) => ({
    pool: name,
    group: groupNodes,
    karpenter: karpenterNodes,
  }));
}

/** Both makers in one sentence; undefined where they do not differ. */
export function nodeMakersText(makers: readonly NodeMakers[] | undefined): string | undefined {
  if (makers === undefined) {
    return undefined;
  }
  const told = (kind: "group" | "karpenter") =>
    makers
      .filter((each) => each[kind] > 0)
      .map((each) => `${each[kind]} of ${each.pool}`)
      .join(", ");
  const group = told("group");
  const karpenter = told("karpenter");
  return [
    ...(group === "" ? [] : [`managed node groups run ${group}`]),
    ...(karpenter === "" ? [] : [`Karpenter makes up to ${karpenter} while pods ask for them`]),
  ].join("; ");
}
