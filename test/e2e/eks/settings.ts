import type { ConfigMap } from "@pulumi/pulumi/automation";

export const CLUSTER = "aws:eks/cluster:Cluster";
export const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
export const ADDON = "aws:eks/addon:Addon";
export const SUBNET = "aws:ec2/subnet:Subnet";
/** What is never deleted with the rest: what they encrypted would be lost. */
export const KEPT = ["aws:kms/key:Key"];

/** Settings of the system pool that tests change. */
export interface SystemPool {
  readonly shape?: string;
  readonly minNodes?: number;
  readonly maxNodes?: number;
  readonly bootVolumeGiB?: number;
}

/** A cluster of our own, to be made alone: that of aws-prod. */
export function clusterSection(eks: object = {}): ConfigMap {
  return {
    "inference-stacks:cluster": { value: JSON.stringify(cluster(eks)) },
    "inference-stacks:scope": { value: "cluster" },
  };
}

function cluster(eks: object): object {
  return {
    kind: "aws",
    provision: "create",
    eks: {
      region: "us-east-1",
      accountId: "111122223333",
      kubernetesVersion: "1.34",
      zones: ["us-east-1a", "us-east-1b"],
      // Who the played cloud says it is that deploys (offline/aws-answers.ts).
      administrators: ["arn:aws:iam::111122223333:role/platform-engineers"],
      ...eks,
    },
  };
}

/** Machines that were bought for some days: EKS takes them away before their time is up. */
const BLOCK = { minNodes: 2, maxNodes: 2, zones: ["us-east-1a"], capacity: { capacityBlock: "cr-0123456789abcdef0" } };

/** The pools of aws-prod: the system pool and a capacity block are groups, the others are Karpenter's. */
export function poolsSection(changes: SystemPool = {}): ConfigMap {
  const system = { shape: "m7i.2xlarge", minNodes: 2, maxNodes: 2, ...changes };
  const gpus = {
    h100: { shape: "p5.48xlarge", ...BLOCK },
    l40s: { shape: "g6e.4xlarge", minNodes: 2, maxNodes: 4 },
    l4: { shape: "g6.4xlarge", minNodes: 4, maxNodes: 8 },
  };
  return {
    "inference-stacks:pools": { value: JSON.stringify({ system, ...gpus }) },
    // Room for a capacity block.
    "inference-stacks:budget": { value: JSON.stringify({ monthlyUsd: 1_000_000 }) },
  };
}

/** What dev runs, on a cluster of our own: a model on a GPU that Karpenter brings, behind a load balancer. */
export function smallPlatform(): ConfigMap {
  const system = { shape: "m7i.2xlarge", minNodes: 2, maxNodes: 4 };
  const gpu = { shape: "g6.2xlarge", minNodes: 1, maxNodes: 2 };
  const assistant = { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 };
  const gateway = { hostname: "inference.example.internal", tls: { kind: "self-signed" } };
  return {
    ...clusterSection(),
    "inference-stacks:scope": { value: "all" },
    "inference-stacks:pools": { value: JSON.stringify({ system, gpu }) },
    "inference-stacks:models": { value: JSON.stringify({ assistant: { ...assistant, pools: ["gpu"] } }) },
    "inference-stacks:gateway": { value: JSON.stringify(gateway) },
  };
}
