import { describe, expect, it } from "vitest";
import { examineNames } from "./providers/aws-names";

const ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";

describe("names that AWS owns", () => {
  it.each([
    [ATTACHMENT, { policyArn: "arn:aws:iam::aws:policy/AmazonEBSCSIDriverPolicyV2" }],
    [ATTACHMENT, { policyArn: "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy" }],
    [ATTACHMENT, { policyArn: "arn:aws:iam::111122223333:policy/ours" }],
    ["aws:eks/addon:Addon", { addonName: "vpc-cni" }],
    ["aws:eks/nodeGroup:NodeGroup", { amiType: "AL2023_x86_64_NVIDIA" }],
  ])("%s takes %j", (type, inputs) => {
    expect(() => examineNames(type, inputs)).not.toThrow();
  });

  it.each([
    [
      ATTACHMENT,
      { policyArn: "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicyV2" },
      /^NoSuchEntity: Policy .*V2 does not exist/,
    ],
    [
      "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
      { policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdmin" },
      /policyArn/,
    ],
    ["aws:eks/addon:Addon", { addonName: "ebs-csi-driver" }, /not supported/],
    ["aws:eks/nodeGroup:NodeGroup", { amiType: "AL2023_x86_64_GPU" }, /amiType/],
  ])("%s is refused with %j", (type, inputs, problem) => {
    expect(() => examineNames(type, inputs)).toThrow(problem);
  });
});
