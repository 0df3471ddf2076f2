import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { podTrust, serviceTrust } from "../../../../components/cluster/eks/iam-document";
import { KarpenterIdentity } from "../../../../components/cluster/eks/karpenter-identity";
import { KARPENTER_POLICIES } from "../../../../components/cluster/eks/karpenter-statements";
import type { EksCapacity } from "../../../../components/cluster/eks/settings";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";
import { settings } from "./fixture";

const CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/test";
const QUEUE = "arn:aws:sqs:us-east-1:111122223333:offline-karpenter-queue-queue";
const NODE_ROLE = "arn:aws:iam::111122223333:role/offline-karpenter-nodes-role";

async function identityOf(capacity: EksCapacity = "on-demand") {
  let ground: KarpenterIdentity["ground"] | undefined;
  const deployment = await deploy(() => {
    ({ ground } = new KarpenterIdentity("karpenter", {
      settings: settings(),
      controlPlane: { clusterArn: pulumi.output(CLUSTER), clusterName: pulumi.output("test") },
      keys: { volumesKeyArn: pulumi.output("arn:aws:kms:us-east-1:111122223333:key/k") },
      pools: [{ capacity }],
    }));
  });
  return { deployment, ground };
}

describe("KarpenterIdentity", () => {
  it("gives nodes a role of their own, and lets them join", async () => {
    const { deployment } = await identityOf();
    expect(deployment.resource("aws:iam/role:Role", "karpenter-nodes-role").inputs.assumeRolePolicy).toBe(
      serviceTrust("ec2.amazonaws.com"),
    );
    const attached = deployment
      .ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
      .filter(({ inputs }) => inputs.role === "offline-karpenter-nodes-role");
    expect(attached.map(({ inputs }) => inputs.policyArn)).toEqual([
      "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
      "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
    ]);
    expect(deployment.resource("aws:eks/accessEntry:AccessEntry", "karpenter-nodes-entry").inputs).toEqual({
      clusterName: "test",
      principalArn: NODE_ROLE,
      type: "EC2_LINUX",
    });
  });

  it("gives the service account of Karpenter all of its policies, before it is there", async () => {
    const { deployment } = await identityOf();
    expect(deployment.resource("aws:iam/role:Role", "karpenter-controller-pods-role").inputs.assumeRolePolicy).toBe(
      podTrust({ clusterArn: CLUSTER, namespace: "karpenter", serviceAccount: "karpenter" }),
    );
    const policies = deployment.ofType("aws:iam/policy:Policy");
    expect(policies.map(({ name }) => name)).toEqual(
      KARPENTER_POLICIES.map((policy) => `karpenter-controller-pods-${policy}-policy`),
    );
    // A policy has 6,144 characters without spaces (IAM User Guide, "IAM and AWS STS quotas").
    for (const { name, inputs } of policies) {
      expect((inputs.policy as string).length, name).toBeLessThanOrEqual(6_144);
    }
  });

  it("hears of interruptions on an encrypted queue that its own rules alone can send to", async () => {
    const { deployment } = await identityOf();
    expect(deployment.resource("aws:sqs/queue:Queue", "karpenter-queue-queue").inputs).toEqual({
      messageRetentionSeconds: 300,
      sqsManagedSseEnabled: true,
    });
    const rules = deployment.ofType("aws:cloudwatch/eventRule:EventRule");
    expect(rules.map(({ inputs }) => JSON.parse(inputs.eventPattern as string))).toEqual([
      { source: ["aws.health"], "detail-type": ["AWS Health Event"] },
      { source: ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"] },
      { source: ["aws.ec2"], "detail-type": ["EC2 Instance Rebalance Recommendation"] },
      { source: ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"] },
      { source: ["aws.ec2"], "detail-type": ["EC2 Capacity Reservation Instance Interruption Warning"] },
    ]);
    const targets = deployment.ofType("aws:cloudwatch/eventTarget:EventTarget");
    expect(targets.map(({ inputs }) => inputs)).toEqual(
      rules.map(({ name }) => ({ rule: `offline-${name}`, arn: QUEUE })),
    );
    const { inputs } = deployment.resource("aws:sqs/queuePolicy:QueuePolicy", "karpenter-queue-policy");
    const [send, deny] = JSON.parse(inputs.policy as string).Statement;
    expect(send).toMatchObject({ Principal: { Service: ["events.amazonaws.com"] }, Action: ["sqs:SendMessage"] });
    expect(send.Condition.ArnEquals["aws:SourceArn"]).toEqual(
      rules.map(({ name }) => `arn:aws:events:us-east-1:111122223333:rule/offline-${name}`),
    );
    expect(deny).toMatchObject({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } });
  });

  it("tells the platform what it made", async () => {
    const { ground } = await identityOf();
    expect(await resolved(ground?.queueName ?? "")).toBe("offline-karpenter-queue-queue");
    expect(await resolved(ground?.nodeRoleName ?? "")).toBe("offline-karpenter-nodes-role");
    expect(ground).toMatchObject({
      discovery: { key: "karpenter.sh/discovery", value: "test" },
      nodeImage: "v20260714",
      tags: { "inference-stacks-environment": "test" },
    });
  });

  it("may let EC2 make its role for spot capacity, where a pool asks for such", async () => {
    const may = (deployment: Deployment) => {
      const { inputs } = deployment.resource("aws:iam/policy:Policy", "karpenter-controller-pods-nodes-policy");
      return (inputs.policy as string).includes("iam:CreateServiceLinkedRole");
    };
    expect(may((await identityOf("spot")).deployment)).toBe(true);
    expect(may((await identityOf("on-demand")).deployment)).toBe(false);
  });
});
