import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { type IamStatement, podTrust } from "../../../../components/cluster/eks/iam-document";
import { LoadBalancerIdentity } from "../../../../components/cluster/eks/load-balancer-identity";
import { loadBalancerStatements } from "../../../../components/cluster/eks/load-balancer-statements";
import { deploy } from "../../../harness/deploy";
import { settings } from "./fixture";

const CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/test";
const PLACE = { partition: "aws", region: "us-east-1", accountId: "111122223333" };
const STATEMENTS = loadBalancerStatements({ place: PLACE, clusterName: "test", vpcId: "vpc-1" });

describe("LoadBalancerIdentity", () => {
  it("gives the controller's service account its rights, in one policy that IAM takes", async () => {
    const deployment = await deploy(() => {
      new LoadBalancerIdentity("lb", {
        settings: settings(),
        controlPlane: { clusterArn: pulumi.output(CLUSTER), clusterName: pulumi.output("test") },
        network: { vpcId: pulumi.output("vpc-1") },
      });
    });
    expect(deployment.resource("aws:iam/role:Role", "lb-controller-pods-role").inputs.assumeRolePolicy).toBe(
      podTrust({
        clusterArn: CLUSTER,
        namespace: "aws-load-balancers",
        serviceAccount: "aws-load-balancer-controller",
      }),
    );
    const { inputs } = deployment.resource("aws:iam/policy:Policy", "lb-controller-pods-balancers-policy");
    expect(JSON.parse(inputs.policy as string).Statement).toEqual(STATEMENTS);
    expect((inputs.policy as string).length).toBeLessThanOrEqual(6_144);
  });
});

describe("loadBalancerStatements", () => {
  const changing = STATEMENTS.filter(({ Sid }) => Sid !== "LookAroundInRegion");

  it("changes things of this account and region alone", () => {
    const outside = changing.flatMap(({ Resource = [] }) =>
      Resource.filter((arn) => !/^arn:aws:(ec2|elasticloadbalancing):us-east-1:111122223333:/.test(arn)),
    );
    expect(outside).toEqual([
      "arn:aws:iam::111122223333:role/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRoleForElasticLoadBalancing",
    ]);
  });

  it("knows network load balancers alone", () => {
    const kinds = changing.flatMap(({ Resource = [] }) =>
      Resource.filter((arn) => /:(loadbalancer|listener)/.test(arn)),
    );
    expect(new Set(kinds.map((arn) => arn.split(":").at(-1)))).toEqual(
      new Set(["loadbalancer/net/*/*", "listener/net/*/*/*"]),
    );
  });

  it.each([
    ["CreateListener", "StringEquals", "aws:ResourceTag/elbv2.k8s.aws/cluster", "test"],
    ["DeleteLoadBalancer", "StringEquals", "aws:ResourceTag/elbv2.k8s.aws/cluster", "test"],
    ["RegisterTargets", "StringEquals", "aws:ResourceTag/elbv2.k8s.aws/cluster", "test"],
    ["CreateLoadBalancer", "StringEquals", "aws:RequestTag/elbv2.k8s.aws/cluster", "test"],
    ["DeleteSecurityGroup", "StringEquals", "aws:ResourceTag/elbv2.k8s.aws/cluster", "test"],
    ["AuthorizeSecurityGroupIngress", "ArnEquals", "ec2:Vpc", "arn:aws:ec2:us-east-1:111122223333:vpc/vpc-1"],
    ["RevokeSecurityGroupIngress", "ArnEquals", "ec2:Vpc", "arn:aws:ec2:us-east-1:111122223333:vpc/vpc-1"],
  ])("allows %s under a condition alone", (action, operator, key, value) => {
    const allowing: IamStatement[] = STATEMENTS.filter(({ Action }) =>
      Action.some((one) => one.endsWith(`:${action}`)),
    );
    expect(allowing.map(({ Condition }) => Condition?.[operator]?.[key])).toEqual([value]);
  });
});
