import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import type { EngineControl, ScaleTarget } from "./endpoint";

const NAME = "model-control-scale";
const VERBS = ["get", "patch"];

export interface ScaleRightsArgs {
  /** The target's namespace. */
  readonly namespace: pulumi.Input<string>;
  readonly target: ScaleTarget;
  /** KEDA's is paused. @default none */
  readonly autoscaler?: EngineControl["autoscaler"];
  readonly client: { readonly namespace: string; readonly serviceAccount: string };
}

/**
 * Rights on one controller's scale and its ScaledObject. Annotations have no subresource, so the
 * rest of the ScaledObject can change too.
 */
export class ScaleRights extends PlatformComponent {
  constructor(name: string, args: ScaleRightsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("serving:ScaleRights", name, opts);
    const { autoscaler } = args;
    const { apiVersion, kind, name: target } = args.target;
    const metadata = { name: NAME, namespace: args.namespace, labels: standardLabels("scale-rights", target) };
    const role = new kubernetes.rbac.v1.Role(
      this.child("role"),
      {
        metadata,
        rules: [
          {
            apiGroups: [apiVersion.slice(0, apiVersion.indexOf("/"))],
            resources: [`${kind.toLowerCase()}s/scale`],
            resourceNames: [target],
            verbs: VERBS,
          },
          ...(autoscaler?.kind === "ScaledObject"
            ? [{ apiGroups: ["keda.sh"], resources: ["scaledobjects"], resourceNames: [autoscaler.name], verbs: VERBS }]
            : []),
        ],
      },
      this.childOptions(),
    );
    new kubernetes.rbac.v1.RoleBinding(
      this.child("binding"),
      {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: named(role, NAME) },
        subjects: [{ kind: "ServiceAccount", name: args.client.serviceAccount, namespace: args.client.namespace }],
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
