import { describe, expect, it } from "vitest";
import { ec2Service, karpenterStatements } from "../../../../components/cluster/eks/karpenter-statements";

const PLACE = { partition: "aws", region: "us-east-1", accountId: "111122223333" };
const NODE_ROLE = "arn:aws:iam::111122223333:role/nodes";
const STATEMENTS = karpenterStatements({
  place: PLACE,
  clusterName: "prod",
  clusterArn: "arn:aws:eks:us-east-1:111122223333:cluster/prod",
  nodeRoleArn: NODE_ROLE,
  queueArn: "arn:aws:sqs:us-east-1:111122223333:q",
  volumesKeyArn: "arn:aws:kms:us-east-1:111122223333:key/k",
  spot: true,
});
const ALL = Object.values(STATEMENTS).flat();

/** The one statement of this name. */
function statement(sid: string) {
  const found = ALL.filter(({ Sid }) => Sid === sid);
  expect(found.length, sid).toBe(1);
  return found[0];
}

describe("karpenterStatements", () => {
  it("lets it end what it has started for this cluster, and nothing else", () => {
    expect(statement("EndWhatItStarted")).toEqual({
      Sid: "EndWhatItStarted",
      Effect: "Allow",
      Action: ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
      Resource: [
        "arn:aws:ec2:us-east-1:111122223333:instance/*",
        "arn:aws:ec2:us-east-1:111122223333:launch-template/*",
      ],
      Condition: {
        StringEquals: { "aws:ResourceTag/kubernetes.io/cluster/prod": "owned" },
        StringLike: { "aws:ResourceTag/karpenter.sh/nodepool": "*" },
      },
    });
  });

  it("lets it start machines with its tags alone", () => {
    for (const sid of ["StartTagged", "TagWhatItStarts"]) {
      expect(statement(sid)?.Condition, sid).toMatchObject({
        StringEquals: {
          "aws:RequestTag/kubernetes.io/cluster/prod": "owned",
          "aws:RequestTag/eks:eks-cluster-name": "prod",
        },
        StringLike: { "aws:RequestTag/karpenter.sh/nodepool": "*" },
      });
    }
  });

  it("lets it give machines the role of its nodes, and EC2 alone", () => {
    expect(statement("GiveMachinesTheirRole")).toMatchObject({
      Resource: [NODE_ROLE],
      Condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
    });
    expect(ec2Service("cn-north-1")).toBe("ec2.amazonaws.com.cn");
  });

  it("is bound to a region or a thing, but where IAM and the price list know none", () => {
    const everywhere = ALL.filter(
      ({ Resource, Condition }) =>
        Resource?.includes("*") && Condition?.StringEquals?.["aws:RequestedRegion"] === undefined,
    );
    expect(everywhere.map(({ Sid }) => Sid).sort()).toEqual(["ListProfiles", "ReadPrices"]);
    for (const { Sid, Action } of ALL) {
      expect(
        Action.some((action) => action.includes("*")),
        Sid,
      ).toBe(false);
    }
  });

  // The reference of Karpenter v1.14.1, less its zonal shifts, with what it says of keys and of spot in its pages.
  it("has every action of the reference", () => {
    const actions = [...new Set(ALL.flatMap(({ Action }) => Action))].sort();
    expect(actions).toEqual(
      [
        ...["CreateFleet", "CreateLaunchTemplate", "CreateTags", "DeleteLaunchTemplate", "RunInstances"],
        ...["TerminateInstances", "DescribeCapacityReservations", "DescribeImages", "DescribeInstances"],
        ...["DescribeInstanceStatus", "DescribeInstanceTypeOfferings", "DescribeInstanceTypes"],
        ...["DescribeLaunchTemplates", "DescribePlacementGroups", "DescribeSecurityGroups"],
        ...["DescribeSpotPriceHistory", "DescribeSubnets"],
      ]
        .map((action) => `ec2:${action}`)
        .concat(
          ...["PassRole", "CreateInstanceProfile", "TagInstanceProfile", "AddRoleToInstanceProfile"].map(
            (action) => `iam:${action}`,
          ),
          ...["RemoveRoleFromInstanceProfile", "DeleteInstanceProfile", "GetInstanceProfile"].map((a) => `iam:${a}`),
          ...["iam:ListInstanceProfiles", "iam:CreateServiceLinkedRole", "eks:DescribeCluster", "ssm:GetParameter"],
          ...["pricing:GetProducts", "sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
          ...["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:CreateGrant"],
        )
        .sort(),
    );
  });
});
