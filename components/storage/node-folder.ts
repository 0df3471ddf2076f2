import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../../names/labels";
import { named } from "../core/known";

type VolumeSpec = kubernetes.types.input.core.v1.PersistentVolumeSpec;

export interface NodeFolderArgs {
  /** Of the volume, which no namespace holds. */
  readonly volume: string;
  readonly claim: string;
  readonly namespace: pulumi.Input<string>;
  readonly labels: Labels;
  /** Kubernetes asks for one; nothing limits what is there. */
  readonly size: string;
  /** Where the folder is. */
  readonly at: Pick<VolumeSpec, "hostPath"> | Pick<VolumeSpec, "local" | "nodeAffinity">;
}

/**
 * A folder of nodes, to read, as a volume and its claim. Not a `hostPath` of the pods: Pod Security's level "restricted"
 * forbids that, and any pod of the namespace could then name any folder. Nothing here writes or deletes it.
 *
 * @returns name of the claim.
 */
export function nodeFolder(
  logicalName: string,
  { volume: volumeName, claim: claimName, namespace, labels, size, at }: NodeFolderArgs,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  const common = {
    accessModes: ["ReadOnlyMany"],
    // No class makes it, and none may bind it to another claim.
    storageClassName: "",
  };
  const volume = new kubernetes.core.v1.PersistentVolume(
    `${logicalName}-volume`,
    {
      metadata: { name: volumeName, labels },
      spec: {
        ...common,
        capacity: { storage: size },
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claimName },
        ...at,
      },
    },
    opts,
  );
  const claim = new kubernetes.core.v1.PersistentVolumeClaim(
    `${logicalName}-claim`,
    {
      metadata: { name: claimName, namespace, labels },
      spec: {
        ...common,
        volumeName: named(volume, volumeName),
        resources: { requests: { storage: size } },
      },
    },
    opts,
  );
  return named(claim, claimName);
}
