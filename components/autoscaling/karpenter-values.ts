import { AWS_ACCOUNTS } from "../../names/aws";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import type { AwsGround, KarpenterGround } from "../core/cluster";
import type { PodSelection } from "../core/connections";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";

const { namespace, serviceAccount } = AWS_ACCOUNTS.karpenter;

export const KARPENTER_RELEASE = "karpenter";

/** Pods by chart label, and their metrics port. */
export const karpenterPods: PodSelection & { readonly metricsPort: number } = {
  namespace,
  podLabels: { "app.kubernetes.io/name": KARPENTER_RELEASE },
  serviceAccount,
  metricsPort: 8080,
};

/**
 * Values of the karpenter chart. Its pods stay off Karpenter's nodes.
 *
 * Ignores pod preferences: otherwise Karpenter would create a node per replica, where the plan
 * places several on one.
 */
export function karpenterValues(
  stage: Stage,
  { clusterName, region }: AwsGround,
  { queueName }: KarpenterGround,
): HelmValues {
  return {
    serviceAccount: { create: true, name: serviceAccount },
    // Leader and standby: without a leader no pod gets a node.
    replicas: replicasOf(stage),
    priorityClassName: PRIORITY.platform.name,
    // The chart's budget can neither be disabled nor evict unready pods (fixed after 1.14 in
    // karpenter-provider-aws 0cc175741). Drains wait while no pod is ready.
    settings: { clusterName, interruptionQueue: queueName, preferencePolicy: "Ignore" },
    controller: {
      metrics: { port: karpenterPods.metricsPort },
      // By default it asks the node's metadata service, which pods cannot reach.
      env: [{ name: "AWS_REGION", value: region }],
      resources: { ...quantities(burstable({ cpu: 0.5, memoryGiB: 0.5 }, { cpu: 1, memoryGiB: 1 })) },
    },
  };
}
