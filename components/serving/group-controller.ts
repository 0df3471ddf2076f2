import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { imageEntry } from "../../catalog/images";
import type { Stage } from "../../planner/types";
import { chartRelease, type HelmValues } from "../core/chart-release";
import { type Connection, podsIn } from "../core/connections";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { PlatformComponent } from "../core/platform-component";
import { burstable } from "../core/resources";

const NAMESPACE = "lws-system";
/** Port of the chart's admission webhook. */
const WEBHOOK_PORT = 9443;

export interface GroupControllerArgs {
  readonly stage: Stage;
}

/** The LeaderWorkerSet controller, once per cluster: it forms the groups of models that span nodes. */
export class GroupController extends PlatformComponent {
  /** Brings the CRD; everything that uses it depends on it. */
  readonly release: kubernetes.helm.v3.Release;

  constructor(name: string, { stage }: GroupControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:GroupController", name, opts);
    const { namespace } = new IsolatedNamespace(this.child("ns"), { namespace: NAMESPACE }, this.childOptions());
    this.release = chartRelease(
      this.child("lws"),
      { chart: "lws", release: "lws", namespace, values: groupControllerValues(stage) },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
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
    replicaCount: stage === "production" ? 2 : 1,
    // The chart's own default is the moving tag "main", pulled every time.
    image: { manager: { repository, tag, pullPolicy: "IfNotPresent" } },
    podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    resources: { requests, limits },
  };
}
