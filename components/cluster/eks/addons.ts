import { Addon } from "@pulumi/aws/eks/addon";
import type * as pulumi from "@pulumi/pulumi";
import { eksAddonVersion } from "../../../catalog/eks";
import { PlatformComponent } from "../../core/platform-component";
import { EKS_ADDONS, type EksAddon, type EksAddonAccount } from "./addon-table";
import type { EksControlPlane } from "./control-plane";
import { diskKeyStatements } from "./disk-key-statements";
import { iamDocument } from "./iam-document";
import type { IamRole } from "./iam-role";
import type { EksKeys } from "./keys";
import { podRole } from "./pod-identity";
import type { EksSettings } from "./settings";

export interface EksAddonsArgs {
  readonly settings: Pick<EksSettings, "environment" | "region" | "kubernetesVersion" | "addonVersions">;
  readonly controlPlane: Pick<EksControlPlane, "clusterArn" | "clusterName">;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
}

const NAMESPACE = "kube-system";

/**
 * EKS add-ons in two steps: nodes need some to become ready, the others need nodes.
 *
 * Versions are pinned per Kubernetes version (catalog/eks.json). `OVERWRITE` reverts manual changes
 * at the next update.
 */
export class EksAddons extends PlatformComponent {
  /** Pod network, kube-proxy and the identity agent: required by nodes. */
  readonly beforeNodes: readonly pulumi.Resource[];

  constructor(
    name: string,
    private readonly args: EksAddonsArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("cluster:EksAddons", name, opts);
    this.beforeNodes = this.install("before nodes", []);
    this.registerOutputs({});
  }

  /** DNS, volumes and metrics: require nodes. */
  installOn(nodes: readonly pulumi.Resource[]): readonly pulumi.Resource[] {
    return this.install("after nodes", nodes);
  }

  private install(step: EksAddon["comes"], after: readonly pulumi.Resource[]): pulumi.Resource[] {
    return EKS_ADDONS.filter(({ comes }) => comes === step).map((row) => this.addon(row, after));
  }

  private addon({ addon, suffix, values, account }: EksAddon, after: readonly pulumi.Resource[]): Addon {
    const { settings, controlPlane } = this.args;
    const role = account && this.role(`${suffix}-rights`, addon, account);
    return new Addon(
      this.child(suffix),
      {
        clusterName: controlPlane.clusterName,
        addonName: addon,
        addonVersion: settings.addonVersions[addon] ?? eksAddonVersion(settings.kubernetesVersion, addon),
        resolveConflictsOnCreate: "OVERWRITE",
        resolveConflictsOnUpdate: "OVERWRITE",
        ...(values && { configurationValues: JSON.stringify(values(settings)) }),
        ...(role && {
          podIdentityAssociations: [{ serviceAccount: account.serviceAccount, roleArn: role.arn }],
        }),
      },
      this.childOptions({ dependsOn: [...after, ...(role?.ready ?? [])] }),
    );
  }

  private role(
    suffix: string,
    addon: string,
    { serviceAccount, managedPolicy, usesVolumesKey }: EksAddonAccount,
  ): IamRole {
    const { settings, controlPlane, keys } = this.args;
    return podRole(
      this.child(suffix),
      {
        settings,
        controlPlane,
        namespace: NAMESPACE,
        serviceAccount,
        description: `Add-on ${addon} of the EKS cluster ${settings.environment}`,
        managedPolicies: [managedPolicy],
        ...(usesVolumesKey && {
          documents: { disks: keys.volumesKeyArn.apply((key) => iamDocument(diskKeyStatements(key))) },
        }),
      },
      this.childOptions(),
    );
  }
}
