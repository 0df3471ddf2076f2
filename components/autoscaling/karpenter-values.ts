import { AWS_ACCOUNTS } from "../../names/aws";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import type { AwsGround, KarpenterGround } from "../core/cluster";
import type { PodSelection } from "../core/connections";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";

const { namespace, serviceAccount } = AWS_ACCOUNTS.karpenter;

/** Name of its Helm release, and of its Deployment. */
export const KARPENTER_RELEASE = "karpenter";

/** Its pods, by a label of its chart, and the port of their metrics. */
export const karpenterPods: PodSelection & { readonly metricsPort: number } = {
  namespace,
  podLabels: { "app.kubernetes.io/name": KARPENTER_RELEASE },
  serviceAccount,
  metricsPort: 8080,
};

/**
 * Values of the karpenter chart, whose pods are `restricted` by themselves, and stay off the nodes that Karpenter makes.
 *
 * Preferences of pods are left to Kubernetes' scheduler: Karpenter would make a node for each replica that had rather be on
 * another one, and the plan counts them on one.
 */
export function karpenterValues(
  stage: Stage,
  { clusterName, region }: AwsGround,
  { queueName }: KarpenterGround,
): HelmValues {
  return {
    serviceAccount: { create: true, name: serviceAccount },
    // One leads, the other takes over: while there is none, no pod gets a node.
    replicas: replicasOf(stage),
    priorityClassName: PRIORITY.platform.name,
    // Its budget (one pod at a time) can neither be left out nor say that unready pods may go, which a later commit
    // of karpenter-provider-aws has (0cc175741), not 1.14: while no pod is ready, a drain of their nodes waits.
    settings: { clusterName, interruptionQueue: queueName, preferencePolicy: "Ignore" },
    controller: {
      metrics: { port: karpenterPods.metricsPort },
      // Without it, it asks the metadata service of its node, which no pod reaches.
      env: [{ name: "AWS_REGION", value: region }],
      resources: { ...quantities(burstable({ cpu: 0.5, memoryGiB: 0.5 }, { cpu: 1, memoryGiB: 1 })) },
    },
  };
}
