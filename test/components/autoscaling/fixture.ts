import type { RunningModel } from "../../../components/autoscaling/node-limits";
import type { AwsGround, KarpenterGround } from "../../../components/core/cluster";

export const KARPENTER_GROUND: KarpenterGround = {
  queueName: "test-karpenter",
  nodeRoleName: "test-nodes",
  discovery: { key: "karpenter.sh/discovery", value: "test" },
  volumesKeyArn: "arn:aws:kms:us-east-1:111122223333:key/1234abcd",
  nodeImage: "v20260714",
  tags: { "inference-stacks-environment": "test" },
};

export function awsGround(): AwsGround {
  return {
    clusterName: "test",
    region: "us-east-1",
    vpcId: "vpc-0123456789abcdef0",
    zones: ["us-east-1a"],
    karpenter: KARPENTER_GROUND,
  };
}

/** A model of one GPU in pool "pool". */
export function runningModel(changes: Partial<RunningModel> = {}): RunningModel {
  return {
    pool: "pool",
    nodesPerReplica: 1,
    startupBudgetSeconds: 600,
    drainSeconds: 60,
    resources: { cpu: 4, memoryGiB: 32, ephemeralStorageGiB: 10, sharedMemoryGiB: 0, gpus: 1 },
    ...changes,
  };
}
