import { describe, expect, it } from "vitest";
import { managedPolicyArn, partitionOf, placeOf } from "../../../../components/cluster/eks/arn";

describe("ARNs", () => {
  it("tell where a cluster is", () => {
    expect(placeOf("arn:aws-cn:eks:cn-north-1:111122223333:cluster/prod")).toEqual({
      partition: "aws-cn",
      region: "cn-north-1",
      accountId: "111122223333",
    });
  });

  it.each(["", "prod", "arn:aws:iam::111122223333:role/r"])("are refused where they name no place: %j", (arn) => {
    expect(() => placeOf(arn)).toThrow("is not the ARN of a thing in a region and an account");
  });

  it("of Amazon's policies are of the region's partition", () => {
    expect([partitionOf("us-east-1"), partitionOf("us-gov-west-1"), partitionOf("cn-north-1")]).toEqual([
      "aws",
      "aws-us-gov",
      "aws-cn",
    ]);
    expect(managedPolicyArn("us-gov-west-1", "AmazonEBSCSIDriverPolicyV2")).toBe(
      "arn:aws-us-gov:iam::aws:policy/AmazonEBSCSIDriverPolicyV2",
    );
  });
});
