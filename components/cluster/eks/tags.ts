import type { EksSettings } from "./settings";

/** Tag key on resources of an environment, including those of in-cluster controllers. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Tag key by which Karpenter finds subnets and security groups; the value is the cluster name. */
export const DISCOVERY_TAG = "karpenter.sh/discovery";

/** Tag key of the EFA security group, by which Karpenter finds it. */
export const EFA_TAG = "inference-stacks-efa";

/** Tags that identify an environment's resources and its leftovers. */
export function environmentTags({ environment }: Pick<EksSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}
