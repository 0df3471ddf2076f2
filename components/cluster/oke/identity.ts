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
  /** What node pools need besides the key of their disks, as whole statements. */
  readonly poolStatements: readonly string[];
}

/**
 * What the cluster and its node pools may do before they exist: nothing but to use their keys, and what pools ask for.
 * Names of policies are made up by Pulumi: they must be unique in the compartment.
 */
export class OkeIdentity extends PlatformComponent {
  /** Without them a cluster that encrypts its secrets, or a node with an encrypted disk, is not made. */
  readonly ready: readonly pulumi.Resource[];

  /** @param opts with a provider of the home region: policies are written there, and nowhere else. */
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
        // A policy holds for its compartment and those below it: that of the keys may be another one.
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
 * Workload identity of enhanced clusters: a policy for one service account of one namespace of this cluster. The account
 * needs no annotation; its pods need their token mounted, and an SDK of Oracle's (contenggrantingworkloadaccesstoresources,
 * 2025-01-15).
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
