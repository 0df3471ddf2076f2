import { PodIdentityAssociation } from "@pulumi/aws/eks/podIdentityAssociation";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityBinder } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import { type IamStatement, iamDocument, podTrust } from "./iam-document";
import { IamRole, type IamRoleArgs } from "./iam-role";
import type { EksSettings } from "./settings";

export interface PodRoleArgs extends Omit<IamRoleArgs, "trust"> {
  readonly controlPlane: Pick<EksControlPlane, "clusterArn">;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** Role for pods of one service account; an EKS add-on can use it as its own. */
export function podRole(
  name: string,
  { controlPlane, namespace, serviceAccount, ...role }: PodRoleArgs,
  opts?: pulumi.ComponentResourceOptions,
): IamRole {
  const trust = controlPlane.clusterArn.apply((clusterArn) => podTrust({ clusterArn, namespace, serviceAccount }));
  return new IamRole(name, { ...role, trust }, opts);
}

export interface PodIdentityArgs extends Omit<PodRoleArgs, "controlPlane"> {
  readonly controlPlane: Pick<EksControlPlane, "clusterArn" | "clusterName">;
}

/**
 * Grants AWS permissions to a service account, which need not exist. Pods must start after the
 * association: the agent answers their SDK (EKS User Guide, pod-identities, read 2026-11-23).
 */
export class PodIdentity extends PlatformComponent {
  /** Prerequisites of pods of the account. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: PodIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:PodIdentity", name, opts);
    const { controlPlane, namespace, serviceAccount } = args;
    const role = podRole(this.child("pods"), args, this.childOptions());
    const association = new PodIdentityAssociation(
      this.child("association"),
      { clusterName: controlPlane.clusterName, namespace, serviceAccount, roleArn: role.arn },
      this.childOptions(),
    );
    this.ready = [...role.ready, association];
    this.registerOutputs({});
  }
}

/**
 * Grants permissions to service accounts. A grant is an `IamStatement` as JSON, with a `Sid`.
 *
 * @param nameOf logical name of a binding's component.
 */
export function workloadIdentity(
  nameOf: (binding: string) => string,
  {
    settings,
    controlPlane,
  }: Pick<PodIdentityArgs, "controlPlane"> & { readonly settings: Pick<EksSettings, "environment" | "region"> },
  opts: pulumi.ComponentResourceOptions,
): IdentityBinder {
  return ({ name, namespace, serviceAccount, grants }) => {
    const document = pulumi
      .all([...grants])
      .apply((texts) => iamDocument(texts.map((text) => JSON.parse(text) as IamStatement)));
    const { ready } = new PodIdentity(
      nameOf(name),
      {
        settings,
        controlPlane,
        namespace,
        serviceAccount,
        description: `Service account ${namespace}/${serviceAccount} of the EKS cluster ${settings.environment}`,
        documents: { grants: document },
      },
      opts,
    );
    return { annotations: {}, ready };
  };
}
