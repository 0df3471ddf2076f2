import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import type { Cluster } from "../core/cluster";

export interface VolumeClassArgs {
  readonly cluster: Pick<Cluster, "storageClass" | "volumeClass">;
  /** Volumes outlive their claims, and the class cannot be deleted: for production. */
  readonly protect: boolean;
}

/**
 * The class of the platform's volumes, where the cluster comes with none that keeps the house rules; nothing elsewhere.
 * Volumes are made in the availability domain of the pod that uses them, and can be made larger.
 *
 * The API server lets nobody change a class: one with other settings replaces it, which leaves its volumes as they are.
 * `protect` refuses that, because new volumes would then lie beside old ones under another key.
 */
export function volumeClass(
  name: string,
  { cluster: { storageClass, volumeClass: made }, protect }: VolumeClassArgs,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  if (made === undefined || storageClass === undefined) {
    return [];
  }
  return [
    new kubernetes.storage.v1.StorageClass(
      `${name}-class`,
      {
        metadata: { name: storageClass, labels: standardLabels("volumes", storageClass) },
        provisioner: made.provisioner,
        parameters: made.parameters,
        allowVolumeExpansion: true,
        volumeBindingMode: "WaitForFirstConsumer",
        reclaimPolicy: protect ? "Retain" : "Delete",
      },
      pulumi.mergeOptions(opts, {
        protect,
        // Two classes of one name cannot be at the same time.
        deleteBeforeReplace: true,
        replaceOnChanges: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
      }),
    ),
  ];
}
