import { EventRule } from "@pulumi/aws/cloudwatch/eventRule";
import { EventTarget } from "@pulumi/aws/cloudwatch/eventTarget";
import { Queue } from "@pulumi/aws/sqs/queue";
import { QueuePolicy } from "@pulumi/aws/sqs/queuePolicy";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { type IamStatement, iamDocument } from "./iam-document";

/**
 * EventBridge rules for Karpenter, by name suffix (aws/karpenter-provider-aws v1.14.1, the
 * reference CloudFormation: its five rules).
 */
export const INTERRUPTIONS: Readonly<Record<string, { readonly source: string; readonly detailType: string }>> = {
  health: { source: "aws.health", detailType: "AWS Health Event" },
  spot: { source: "aws.ec2", detailType: "EC2 Spot Instance Interruption Warning" },
  rebalance: { source: "aws.ec2", detailType: "EC2 Instance Rebalance Recommendation" },
  state: { source: "aws.ec2", detailType: "EC2 Instance State-change Notification" },
  reservation: { source: "aws.ec2", detailType: "EC2 Capacity Reservation Instance Interruption Warning" },
};

/** Seconds that warnings stay useful: spot machines end two minutes after theirs. */
const RETENTION_SECONDS = 300;

/** Interruption queue: Karpenter replaces machines before the cloud takes them away. */
export class KarpenterQueue extends PlatformComponent {
  readonly arn: pulumi.Output<string>;
  readonly queueName: pulumi.Output<string>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: { readonly clusterName: string }, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:KarpenterQueue", name, opts);
    const queue = new Queue(
      this.child("queue"),
      { messageRetentionSeconds: RETENTION_SECONDS, sqsManagedSseEnabled: true },
      this.childOptions(),
    );
    const rules = Object.entries(INTERRUPTIONS).map(([suffix, { source, detailType }]) => {
      const rule = new EventRule(
        this.child(suffix),
        {
          description: `Notifies Karpenter of the EKS cluster ${args.clusterName}: ${detailType}`,
          eventPattern: JSON.stringify({ source: [source], "detail-type": [detailType] }),
        },
        this.childOptions(),
      );
      return { suffix, rule };
    });
    const policy = new QueuePolicy(
      this.child("policy"),
      {
        queueUrl: queue.url,
        policy: pulumi
          .all([queue.arn, pulumi.all(rules.map(({ rule }) => rule.arn))])
          .apply(([arn, senders]) => iamDocument(queueStatements(arn, senders))),
      },
      this.childOptions(),
    );
    const targets = rules.map(
      ({ suffix, rule }) =>
        new EventTarget(this.child(`${suffix}-target`), { rule: rule.name, arn: queue.arn }, this.childOptions()),
    );
    this.arn = queue.arn;
    this.queueName = queue.name;
    this.ready = [queue, policy, ...targets];
    this.registerOutputs({});
  }
}

/**
 * Only the given rules may send, over TLS. The reference admits all rules of all accounts, and SQS.
 *
 * @param rules ARNs of the EventBridge rules.
 */
export function queueStatements(queueArn: string, rules: readonly string[]): IamStatement[] {
  return [
    {
      Sid: "OwnRulesSend",
      Effect: "Allow",
      Principal: { Service: ["events.amazonaws.com"] },
      Action: ["sqs:SendMessage"],
      Resource: [queueArn],
      Condition: { ArnEquals: { "aws:SourceArn": [...rules] } },
    },
    {
      Sid: "NothingWithoutTls",
      Effect: "Deny",
      Principal: "*",
      Action: ["sqs:*"],
      Resource: [queueArn],
      Condition: { Bool: { "aws:SecureTransport": "false" } },
    },
  ];
}
