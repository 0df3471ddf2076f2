import { imageEntry } from "../../catalog/images";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { podsIn } from "../core/connections";
import { fromKubernetesApi, toKubernetesApi } from "../core/network";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable } from "../core/resources";
import type { ServerController } from "./model-server";

const NAMESPACE = "lws-system";
/** Admission webhook of lws 0.10. */
const WEBHOOK = { namespace: NAMESPACE, podLabels: { "app.kubernetes.io/name": "lws" } };
const WEBHOOK_PORT = 9443;

export const groupController: ServerController = {
  name: "groups",
  podsOf: "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
  install: (stage) => ({
    namespace: NAMESPACE,
    namespaceSuffix: "ns",
    contents: () => ({
      charts: [{ suffix: "lws", chart: "lws", release: "lws", values: groupControllerValues(stage) }],
    }),
    formerTypes: ["inference:serving:GroupController"],
  }),
  connections: (networks) => {
    const controller = podsIn(NAMESPACE);
    return [
      toKubernetesApi("group-controller", controller, networks),
      fromKubernetesApi("group-controller", WEBHOOK, [WEBHOOK_PORT]),
    ];
  },
};

/** Values of the lws chart. */
export function groupControllerValues(stage: Stage): HelmValues {
  const { repository, tag } = imageEntry("lws");
  const { requests, limits } = burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 1, memoryGiB: 1 });
  return {
    // A standby, as broken groups need a controller.
    replicaCount: replicasOf(stage),
    priorityClassName: PRIORITY.platform.name,
    // The chart's default is the moving tag "main".
    image: { manager: { repository, tag, pullPolicy: "IfNotPresent" } },
    podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: RESTRICTED_CONTAINER,
    resources: { requests, limits },
  };
}
