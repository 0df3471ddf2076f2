import { Policy } from "@pulumi/oci/identity/policy";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityBinder } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import type { OkeKeys } from "./keys";
import type { OkeSettings } from "./settings";
import { allow, secretsKeyStatements, volumesKeyStatements } from "./statements";
import { environmentTags } from "./tags";

export interface OkeIdentityArgs {
  readonly settings: Pick<OkeSettings, "environment" | "compartmentId">;
  readonly keys: Pick<OkeKeys, "compartmentId" | "secretsKeyId" | "volumesKeyId">;
  /** Additional policy statements of node pools, besides the disk key. */
  readonly poolStatements: readonly string[];
}

/**
 * Permissions of cluster and node pools on their keys, and pool requirements, before they exist.
 * Pulumi generates policy names, which must be unique in the compartment.
 */
export class OkeIdentity extends PlatformComponent {
  /** Prerequisite of clusters with encrypted secrets and of nodes with encrypted disks. */
  readonly ready: readonly pulumi.Resource[];

  /** @param opts with a provider of the home region, the only one for policies. */
  constructor(
    name: string,
    { settings, keys, poolStatements }: OkeIdentityArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("cluster:OkeIdentity", name, opts);
    const freeformTags = environmentTags(settings);
    const ofKeys = new Policy(
      this.child("keys"),
      {
        // A policy applies to its compartment and those below; the keys may be in another.
        compartmentId: keys.compartmentId,
        description: `Keys of the OKE cluster ${settings.environment}: secrets, disks and volumes`,
        statements: pulumi
          .all([keys.secretsKeyId, keys.volumesKeyId])
          .apply(([secrets, volumes]) => [
            ...secretsKeyStatements(keys.compartmentId, secrets),
            ...volumesKeyStatements(keys.compartmentId, volumes),
          ]),
        freeformTags,
      },
      this.childOptions(),
    );
    const ofPools =
      poolStatements.length > 0
        ? [
            new Policy(
              this.child("pools"),
              {
                compartmentId: settings.compartmentId,
                description: `Node pools of the OKE cluster ${settings.environment}`,
                statements: [...poolStatements],
                freeformTags,
              },
              this.childOptions(),
            ),
          ]
        : [];
    this.ready = [ofKeys, ...ofPools];
    this.registerOutputs({});
  }
}

export interface WorkloadIdentityArgs {
  readonly settings: Pick<OkeSettings, "environment" | "compartmentId">;
  readonly clusterId: pulumi.Output<string>;
  /** Logical name of a binding's policy. */
  readonly policyName: (binding: string) => string;
}

/**
 * Workload identity of enhanced clusters: a policy per service account. Pods need a mounted token
 * and an OCI SDK (contenggrantingworkloadaccesstoresources, 2025-01-15).
 *
 * @param opts of the policies, with a provider of the home region.
 */
export function workloadIdentity(
  { settings, clusterId, policyName }: WorkloadIdentityArgs,
  opts: pulumi.CustomResourceOptions,
): IdentityBinder {
  return ({ name, namespace, serviceAccount, grants }) => {
    const policy = new Policy(
      policyName(name),
      {
        compartmentId: settings.compartmentId,
        description: `Service account ${namespace}/${serviceAccount} of the OKE cluster ${settings.environment}`,
        statements: pulumi
          .all([clusterId, pulumi.all([...grants])])
          .apply(([cluster, all]) =>
            all.map((grant) => allow({ type: "workload", clusterId: cluster, namespace, serviceAccount }, grant)),
          ),
        freeformTags: environmentTags(settings),
      },
      opts,
    );
    return { annotations: {}, ready: [policy] };
  };
}
