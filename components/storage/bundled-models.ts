import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { named } from "../core/known";
import { gibibytes } from "../core/resources";
import type { BundledFolder } from "./scripts/repository";

/** Name of the volume and of its claim. */
const NAME = "model-bundle";
const MOUNT = "/bundle";

/** Where models lie on a node, in a folder that was copied there. */
export interface ModelBundle {
  /** Folder on the node with a folder for each model. */
  readonly path: string;
  /** Name of the node. */
  readonly node: string;
  /** Of all models together. */
  readonly gigabytes: number;
  /** Folder of a repository below `path`, and the SHA-256 of its manifest. @throws Error for one that is not there. */
  modelOf(repository: string, revision: string): { readonly folder: string; readonly manifestSha256: string };
}

/** The bundle as a Job's pods read it. */
export interface MountedBundle {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
  /** Where the Job finds a repository, as its scripts receive it. */
  folderOf(repository: string, revision: string): Required<BundledFolder>;
}

/**
 * A volume that is the folder on its node, and a claim of it. Not a `hostPath` of the pods: Pod Security's level
 * "restricted" forbids that, and any pod of the namespace could then name any folder. Nothing here writes or deletes it.
 */
export function bundledModels(
  name: string,
  { namespace, bundle }: { readonly namespace: pulumi.Input<string>; readonly bundle: ModelBundle },
  opts: pulumi.CustomResourceOptions,
): MountedBundle {
  const labels = standardLabels("model-sync", NAME);
  const size = gibibytes(Math.max(1, Math.ceil(bundle.gigabytes / 1.073741824)));
  const volume = new kubernetes.core.v1.PersistentVolume(
    `${name}-volume`,
    {
      metadata: { name: NAME, labels },
      spec: {
        capacity: { storage: size },
        accessModes: ["ReadOnlyMany"],
        persistentVolumeReclaimPolicy: "Retain",
        // No class makes it, and none may bind it to another claim.
        storageClassName: "",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: NAME },
        local: { path: bundle.path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [bundle.node] }] },
            ],
          },
        },
      },
    },
    opts,
  );
  const claim = new kubernetes.core.v1.PersistentVolumeClaim(
    `${name}-claim`,
    {
      metadata: { name: NAME, namespace, labels },
      spec: {
        accessModes: ["ReadOnlyMany"],
        storageClassName: "",
        volumeName: named(volume, NAME),
        resources: { requests: { storage: size } },
      },
    },
    opts,
  );
  return {
    // Read only, so that the kubelet leaves the owners of the files as they are.
    volume: { name: "bundle", persistentVolumeClaim: { claimName: named(claim, NAME), readOnly: true } },
    mount: { name: "bundle", mountPath: MOUNT, readOnly: true },
    folderOf: (repository, revision) => {
      const { folder, manifestSha256 } = bundle.modelOf(repository, revision);
      return { folder: `${MOUNT}/${folder}`, manifestSha256 };
    },
  };
}
