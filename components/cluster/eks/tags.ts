import type { EksSettings } from "./settings";

/** Key of the tag on what is made for an environment, by us and by controllers in the cluster. */
export const ENVIRONMENT_TAG = "inference-stacks-environment";

/** Key of the tag by which Karpenter finds subnets and security groups of a cluster, whose name is the tag's value. */
export const DISCOVERY_TAG = "karpenter.sh/discovery";

/** Key of the tag of the security group by which interfaces with EFA talk to each other: Karpenter finds it by that. */
export const EFA_TAG = "inference-stacks-efa";

/** Tags by which people find what belongs to an environment, and what is left over after it is gone. */
export function environmentTags({ environment }: Pick<EksSettings, "environment">): Readonly<Record<string, string>> {
  return { [ENVIRONMENT_TAG]: environment };
}
