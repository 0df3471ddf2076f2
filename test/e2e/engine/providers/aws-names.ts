import names from "../../../fixtures/upstream/aws-names.json";
import type { Properties } from "./cloud/store";

const OF_AMAZON = /^arn:[\w-]+:iam::aws:policy\/(?<path>.*)$/;
const OF_EKS = /^arn:[\w-]+:eks::aws:cluster-access-policy\/(?<path>.*)$/;

/**
 * Refuses what names a thing of AWS' own that there is not.
 *
 * @throws Error, in AWS' words where these are known.
 */
export function examineNames(type: string, inputs: Properties): void {
  switch (type) {
    case "aws:iam/rolePolicyAttachment:RolePolicyAttachment": {
      const path = OF_AMAZON.exec(String(inputs.policyArn))?.groups?.path;
      must(
        path,
        names.managedPolicies.names,
        `NoSuchEntity: Policy ${inputs.policyArn} does not exist or is not attachable.`,
      );
      break;
    }
    case "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": {
      const path = OF_EKS.exec(String(inputs.policyArn))?.groups?.path ?? "";
      must(
        path,
        names.accessPolicies.names,
        `InvalidParameterException: The policyArn parameter format is not valid: ${inputs.policyArn}`,
      );
      break;
    }
    case "aws:eks/addon:Addon":
      must(
        String(inputs.addonName),
        names.addons.names,
        `InvalidParameterException: Addon ${inputs.addonName} specified is not supported`,
      );
      break;
    case "aws:eks/nodeGroup:NodeGroup":
      must(
        String(inputs.amiType),
        names.imageTypes.names,
        `InvalidParameterException: ${inputs.amiType} is not a valid value for amiType`,
      );
      break;
  }
}

/** @param name undefined where it is none of AWS' own. */
function must(name: string | undefined, known: readonly string[], problem: string): void {
  if (name !== undefined && !known.includes(name)) {
    throw new Error(problem);
  }
}
