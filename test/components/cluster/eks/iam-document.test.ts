import { describe, expect, it } from "vitest";
import { iamDocument, podTrust, serviceTrust } from "../../../../components/cluster/eks/iam-document";

const READ = { Sid: "Read", Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::b/*"] } as const;

describe("iamDocument", () => {
  it("writes keys in one order, whatever order they are said in", () => {
    const { Sid, Effect, Action, Resource } = READ;
    const turned = { Resource, Condition: { Bool: { "aws:SecureTransport": "true" } }, Action, Effect, Sid };
    expect(iamDocument([turned])).toBe(
      '{"Version":"2012-10-17","Statement":[{"Sid":"Read","Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::b/*"],"Condition":{"Bool":{"aws:SecureTransport":"true"}}}]}',
    );
  });

  it("refuses two statements of one name, and names that IAM does not take", () => {
    expect(() => iamDocument([READ, READ])).toThrow('statement "Read" needs a name of its own');
    expect(() => iamDocument([{ ...READ, Sid: "read-it" }])).toThrow('statement "read-it"');
  });
});

describe("trust", () => {
  it("lets one service of Amazon's work as a role", () => {
    expect(JSON.parse(serviceTrust("ec2.amazonaws.com")).Statement).toEqual([
      {
        Sid: "Service",
        Effect: "Allow",
        Principal: { Service: ["ec2.amazonaws.com"] },
        Action: ["sts:AssumeRole"],
      },
    ]);
  });

  it("lets pods of one service account of one cluster work as a role", () => {
    const clusterArn = "arn:aws:eks:us-east-1:111122223333:cluster/prod";
    expect(
      JSON.parse(podTrust({ clusterArn, namespace: "kube-system", serviceAccount: "aws-node" })).Statement,
    ).toEqual([
      {
        Sid: "PodsOfOneServiceAccount",
        Effect: "Allow",
        Principal: { Service: ["pods.eks.amazonaws.com"] },
        Action: ["sts:AssumeRole", "sts:TagSession"],
        Condition: {
          StringEquals: {
            "aws:RequestTag/eks-cluster-arn": clusterArn,
            "aws:RequestTag/kubernetes-namespace": "kube-system",
            "aws:RequestTag/kubernetes-service-account": "aws-node",
          },
        },
      },
    ]);
  });
});
