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
 * The class of the platform's volumes, where the cluster comes with none that keeps the house rules, and one like it for caches; nothing elsewhere.
 * Volumes are made in the availability domain of the pod that uses them, and can be made larger.
 *
 * The API server does not allow changes of a class: one with other settings replaces it, which leaves its volumes as they are.
 * `protect` refuses that, because new volumes would then lie next to old ones under another key.
 */
export function volumeClass(
  name: string,
  { cluster: { storageClass, volumeClass: made }, protect }: VolumeClassArgs,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  if (made === undefined || storageClass === undefined) {
    return [];
  }
  const classOf = (logical: string, metadataName: string, isKept: boolean) =>
    new kubernetes.storage.v1.StorageClass(
      logical,
      {
        metadata: { name: metadataName, labels: standardLabels("volumes", metadataName) },
        provisioner: made.provisioner,
        parameters: made.parameters,
        allowVolumeExpansion: true,
        volumeBindingMode: "WaitForFirstConsumer",
        reclaimPolicy: isKept ? "Retain" : "Delete",
      },
      pulumi.mergeOptions(opts, {
        protect: isKept,
        // Two classes of one name cannot be at the same time.
        deleteBeforeReplace: true,
        replaceOnChanges: ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"],
      }),
    );
  return [
    classOf(`${name}-class`, storageClass, protect),
    classOf(`${name}-cache-class`, cacheName(storageClass), false),
  ];
}

/** What is known of a cluster's classes. */
export type VolumeClasses = Pick<Cluster, "storageClass"> & Partial<Pick<Cluster, "volumeClass">>;

/**
 * Class of volumes that hold copies alone, and go with their claims: where the platform makes the classes. Elsewhere it is not known what
 * becomes of a volume whose claim is deleted.
 */
export function cacheClass({ storageClass, volumeClass: made }: VolumeClasses): string | undefined {
  return made === undefined || storageClass === undefined ? undefined : cacheName(storageClass);
}

function cacheName(storageClass: string): string {
  return `${storageClass}-cache`;
}
