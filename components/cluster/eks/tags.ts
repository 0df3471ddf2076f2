import type { EksSettings } from "./settings";

/** Tag key on an environment's resources, including those of in-cluster controllers. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Tag key by which Karpenter finds subnets and security groups; the value is the cluster name. */
export const DISCOVERY_TAG = "karpenter.sh/discovery";

/** Tag key by which Karpenter finds the EFA security group. */
export const EFA_TAG = "inference-stacks-efa";

/** Tags that identify an environment's resources and its leftovers. */
export function environmentTags({ environment }: Pick<EksSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}
