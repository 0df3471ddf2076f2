import { imageEntry } from "../../catalog/images";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { type Connection, podsIn } from "../core/connections";
import type { ControllerArgs } from "../core/controller";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { replicasOf } from "../core/replicas";
import { burstable } from "../core/resources";

const NAMESPACE = "lws-system";
/** Port of the chart's admission webhook. */
const WEBHOOK_PORT = 9443;

/** The LeaderWorkerSet controller, once per cluster: it forms the groups of models that span nodes. */
export function groupController(stage: Stage): ControllerArgs {
  return {
    namespace: NAMESPACE,
    namespaceSuffix: "ns",
    contents: () => ({
      charts: [{ suffix: "lws", chart: "lws", release: "lws", values: groupControllerValues(stage) }],
    }),
  };
}

export function groupControllerConnections(networks: ClusterNetworks): Connection[] {
  const controller = podsIn(NAMESPACE);
  return [
    toKubernetesApi("group-controller", controller, networks),
    fromKubernetesApi("group-controller", controller, [WEBHOOK_PORT]),
  ];
}

/** Values of the lws chart. */
export function groupControllerValues(stage: Stage): HelmValues {
  const { repository, tag } = imageEntry("lws");
  const { requests, limits } = burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 1, memoryGiB: 1 });
  return {
    // One leads, the other takes over: without a controller no broken group is made anew.
    replicaCount: replicasOf(stage),
    // The chart's own default is the moving tag "main", pulled every time.
    image: { manager: { repository, tag, pullPolicy: "IfNotPresent" } },
    podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: RESTRICTED_CONTAINER,
    resources: { requests, limits },
  };
}
