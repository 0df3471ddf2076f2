import { LaunchTemplate } from "@pulumi/aws/ec2/launchTemplate";
import type { ec2 } from "@pulumi/aws/types/input";
import type * as pulumi from "@pulumi/pulumi";
import { efaInterfaces } from "./efa";
import type { EksPool, EksSettings } from "./settings";
import { environmentTags } from "./tags";
import { multipart, nodeConfig, ROOT_DEVICE } from "./user-data";

export interface NodeTemplateArgs {
  readonly settings: Pick<EksSettings, "environment">;
  readonly pool: EksPool;
  readonly volumesKeyArn: pulumi.Input<string>;
  /** The cluster's group and those of EFA interfaces. */
  readonly securityGroupIds: readonly pulumi.Input<string>[];
  /** @default nodes anywhere in their zones */
  readonly placementGroupName: pulumi.Input<string> | undefined;
}

type Template = ec2.LaunchTemplateCapacityReservationSpecification;

/** Machine settings of a managed node group that the group itself does not cover. */
export function nodeTemplate(name: string, args: NodeTemplateArgs, opts: pulumi.CustomResourceOptions): LaunchTemplate {
  const { settings, pool, volumesKeyArn, securityGroupIds, placementGroupName } = args;
  const { plan, bootVolumeGiB, capacity } = pool;
  const config = nodeConfig(pool, registeredTaints(pool));
  const tags = { ...environmentTags(settings), Name: `${settings.environment}-${plan.name}` };
  return new LaunchTemplate(
    name,
    {
      description: `Nodes of pool ${plan.name} of ${settings.environment}`,
      updateDefaultVersion: true,
      blockDeviceMappings: [
        {
          deviceName: ROOT_DEVICE,
          // Nested booleans are strings since version 7 of the SDK.
          ebs: {
            volumeType: "gp3",
            volumeSize: bootVolumeGiB,
            encrypted: "true",
            kmsKeyId: volumesKeyArn,
            deleteOnTermination: "true",
          },
        },
      ],
      // One hop: pods cannot get node credentials; theirs come from the identity agent.
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      ...(config !== undefined && { userData: Buffer.from(multipart(config)).toString("base64") }),
      ...(pool.efa
        ? {
            networkInterfaces: efaInterfaces(plan.shape).map((each) => ({
              ...each,
              securityGroups: [...securityGroupIds],
              deleteOnTermination: "true",
            })),
          }
        : { vpcSecurityGroupIds: [...securityGroupIds] }),
      ...(placementGroupName !== undefined && { placement: { groupName: placementGroupName } }),
      ...(plan.confidential && { cpuOptions: { amdSevSnp: "enabled" } }),
      ...(typeof capacity === "object" && "reservation" in capacity && reserved(capacity.reservation)),
      ...(typeof capacity === "object" &&
        "capacityBlock" in capacity && {
          ...reserved(capacity.capacityBlock),
          instanceMarketOptions: { marketType: "capacity-block" },
          instanceType: plan.shape.name,
        }),
      tagSpecifications: ["instance", "volume", "network-interface"].map((resourceType) => ({ resourceType, tags })),
      tags: { Name: `${settings.environment}-${plan.name}` },
    },
    opts,
  );
}

/**
 * Taints that the kubelet registers if the node has startup taints. The group restores its taints,
 * so it cannot contain startup taints, which the node check removes. The kubelet then registers
 * all: there is one flag, and the last value wins (k8s.io/component-base, RegisterWithTaintsVar).
 */
export function registeredTaints({ plan: { taints, startupTaints } }: Pick<EksPool, "plan">) {
  return startupTaints.length > 0 ? [...taints, ...startupTaints] : [];
}

function reserved(capacityReservationId: string): { readonly capacityReservationSpecification: Template } {
  return { capacityReservationSpecification: { capacityReservationTarget: { capacityReservationId } } };
}
