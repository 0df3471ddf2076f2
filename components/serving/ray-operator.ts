import { imageEntry } from "../../catalog/images";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { connect, podsIn } from "../core/connections";
import { toKubernetesApi } from "../core/network";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";
import type { ServerController } from "./model-server";
import { DASHBOARD_PORT, rayPods } from "./ray-names";

const NAMESPACE = "ray-system";

/** KubeRay: creates clusters and submits applications. */
export const rayOperator: ServerController = {
  name: "ray-operator",
  podsOf: "kubernetes:ray.io/v1:RayService",
  install: (stage) => ({
    namespace: NAMESPACE,
    contents: () => ({
      charts: [
        { chart: "kuberay-operator", release: "kuberay-operator", values: rayOperatorValues(stage), suffix: "chart" },
      ],
    }),
  }),
  // It has no webhook: nothing calls it.
  connections: (networks, models) => {
    const operator = podsIn(NAMESPACE);
    return [
      toKubernetesApi("ray-operator", operator, networks),
      connect({
        name: "ray-operator-to-heads",
        reason: "It submits applications to the heads of Ray clusters, and asks how they are",
        from: operator,
        to: models.map((model) => rayPods(model, "head")),
        ports: [DASHBOARD_PORT],
      }),
    ];
  },
};

/** Values of the kuberay-operator chart. */
export function rayOperatorValues(stage: Stage): HelmValues {
  const { repository, tag } = imageEntry("kuberay-operator");
  return {
    // A standby, as repairs need an operator.
    replicas: replicasOf(stage),
    leaderElectionEnabled: true,
    priorityClassName: PRIORITY.platform.name,
    image: { repository, tag, pullPolicy: "IfNotPresent" },
    podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: { ...RESTRICTED_CONTAINER, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    resources: { ...quantities(burstable({ cpu: 0.1, memoryGiB: 0.5 }, { cpu: 1, memoryGiB: 1 })) },
    // The clean-up holds clusters by a finalizer, for a Job that a terminating namespace refuses.
    env: [{ name: "ENABLE_GCS_FT_REDIS_CLEANUP", value: "false" }],
    featureGates: [
      { name: "RayClusterStatusConditions", enabled: true },
      // Incremental upgrades need Ray's autoscaler, a second one.
      { name: "RayServiceIncrementalUpgrade", enabled: false },
    ],
  };
}
