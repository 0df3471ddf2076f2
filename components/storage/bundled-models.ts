import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { gibibytes } from "../core/resources";
import { nodeFolder } from "./node-folder";
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

/** The folder on its node. */
export function bundledModels(
  name: string,
  { namespace, bundle }: { readonly namespace: pulumi.Input<string>; readonly bundle: ModelBundle },
  opts: pulumi.CustomResourceOptions,
): MountedBundle {
  const labels = standardLabels("model-sync", NAME);
  const size = gibibytes(Math.max(1, Math.ceil(bundle.gigabytes / 1.073741824)));
  const claimName = nodeFolder(
    name,
    {
      volume: NAME,
      claim: NAME,
      namespace,
      labels,
      size,
      at: {
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
  return {
    // Read only, so that the kubelet leaves the owners of the files as they are.
    volume: { name: "bundle", persistentVolumeClaim: { claimName, readOnly: true } },
    mount: { name: "bundle", mountPath: MOUNT, readOnly: true },
    folderOf: (repository, revision) => {
      const { folder, manifestSha256 } = bundle.modelOf(repository, revision);
      return { folder: `${MOUNT}/${folder}`, manifestSha256 };
    },
  };
}
