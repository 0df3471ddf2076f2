import { EventRule } from "@pulumi/aws/cloudwatch/eventRule";
import { EventTarget } from "@pulumi/aws/cloudwatch/eventTarget";
import { Queue } from "@pulumi/aws/sqs/queue";
import { QueuePolicy } from "@pulumi/aws/sqs/queuePolicy";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { type IamStatement, iamDocument } from "./iam-document";

/**
 * What EventBridge tells Karpenter of, by the last part of a rule's name (aws/karpenter-provider-aws v1.14.1, the
 * reference CloudFormation: its five rules).
 */
export const INTERRUPTIONS: Readonly<Record<string, { readonly source: string; readonly detailType: string }>> = {
  health: { source: "aws.health", detailType: "AWS Health Event" },
  spot: { source: "aws.ec2", detailType: "EC2 Spot Instance Interruption Warning" },
  rebalance: { source: "aws.ec2", detailType: "EC2 Instance Rebalance Recommendation" },
  state: { source: "aws.ec2", detailType: "EC2 Instance State-change Notification" },
  reservation: { source: "aws.ec2", detailType: "EC2 Capacity Reservation Instance Interruption Warning" },
};

/** Seconds for which a warning is worth reading: a spot machine goes two minutes after its own. */
const RETENTION_SECONDS = 300;

/** The queue on which Karpenter hears that machines will be taken away, so that it can bring new ones first. */
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
          description: `Tells Karpenter of the EKS cluster ${args.clusterName}: ${detailType}`,
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
 * Our rules alone send, and everybody over TLS. The reference lets all rules of all accounts send, and SQS itself, which
 * has nothing to send.
 *
 * @param rules ARNs of the rules that send.
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
