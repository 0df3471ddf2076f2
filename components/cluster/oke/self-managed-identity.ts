import { DynamicGroup } from "@pulumi/oci/identity/dynamicGroup";
import { Policy } from "@pulumi/oci/identity/policy";
import * as pulumi from "@pulumi/pulumi";
import type { OkeKeys } from "./keys";
import type { OkeSettings } from "./settings";
import { joinStatements } from "./statements";
import { environmentTags } from "./tags";

export interface SelfManagedIdentityArgs {
  readonly settings: Pick<OkeSettings, "environment" | "tenancyId" | "compartmentId">;
  readonly clusterId: pulumi.Output<string>;
  readonly keys: Pick<OkeKeys, "compartmentId" | "volumesKeyId">;
}

/**
 * Lets machines of the compartment join only this cluster (Oracle's page "Creating a Dynamic Group
 * and a Policy for Self-Managed Nodes", terraform-oci-oke 25ef9a0 modules/iam/group-workers.tf;
 * read 2026-11-23). Dynamic groups do not match free-form tags, so every machine of the compartment
 * may join.
 *
 * @param opts with a provider of the home region, the only one for groups and policies.
 * @returns prerequisites of the first machine: one without permission gives up after some minutes.
 */
export function selfManagedIdentity(
  name: string,
  { settings, clusterId, keys }: SelfManagedIdentityArgs,
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const { environment, tenancyId, compartmentId } = settings;
  const freeformTags = environmentTags(settings);
  const group = new DynamicGroup(
    `${name}-machines`,
    {
      // Dynamic groups belong to the tenancy; their members do not.
      compartmentId: tenancyId,
      description: `Machines that may join the OKE cluster ${environment}`,
      matchingRule: `ALL {instance.compartment.id = '${compartmentId}'}`,
      freeformTags,
    },
    opts,
  );
  const policy = (suffix: string, of: string, description: string, statements: pulumi.Output<string[]>) =>
    new Policy(`${name}-${suffix}`, { compartmentId: of, description, statements, freeformTags }, opts);
  return [
    policy(
      "join",
      compartmentId,
      `Self-managed nodes of the OKE cluster ${environment}`,
      pulumi.all([group.id, clusterId]).apply(([id, cluster]) => joinStatements(id, compartmentId, cluster)),
    ),
    policy(
      "disks",
      keys.compartmentId,
      `Disks of self-managed nodes of the OKE cluster ${environment}`,
      pulumi
        .all([group.id, keys.volumesKeyId])
        .apply(([id, key]) => [
          `Allow dynamic-group id ${id} to use key-delegates in compartment id ${keys.compartmentId} where target.key.id='${key}'`,
        ]),
    ),
  ];
}
