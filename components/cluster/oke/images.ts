import { getNodePoolOptionOutput } from "@pulumi/oci/containerengine/getNodePoolOption";
import * as pulumi from "@pulumi/pulumi";
import { hasOkeImage, type OkeImage, okeImageFits, readOkeImage } from "../../../catalog/oke";
import type { MachineShape } from "../../../catalog/shapes";
import type { OkeSettings } from "./settings";

export interface ImageSource {
  readonly imageId: string;
  /** Oracle-Linux-8.10-Gen2-GPU-2025.11.20-0-OKE-1.34.2-1345 */
  readonly sourceName: string;
}

type Machine = Pick<MachineShape, "name" | "gpu" | "cpu">;

/** Node images that OKE offers, queried once because they depend only on the tenancy. */
export function offeredImages(
  { compartmentId, kubernetesVersion }: Pick<OkeSettings, "compartmentId" | "kubernetesVersion">,
  opts: pulumi.InvokeOutputOptions,
): pulumi.Output<readonly ImageSource[]> {
  const options = getNodePoolOptionOutput(
    {
      nodePoolOptionId: "all",
      compartmentId,
      nodePoolK8sVersion: kubernetesVersion,
      shouldListAllPatchVersions: true,
    },
    opts,
  );
  return options.sources;
}

/**
 * The newest OKE image for a shape.
 *
 * @param pool for the message.
 * @param kubernetesVersion with a leading v; must match the image's.
 * @throws pulumi.RunError if OKE offers none, with the fix.
 */
export function newestImage(
  pool: string,
  shape: Machine,
  kubernetesVersion: string,
  offered: readonly ImageSource[],
): ImageSource {
  const fitting = offered.flatMap((source) => {
    const image = readOkeImage(source.sourceName);
    return image && hasOkeImage(shape) && okeImageFits(image, shape, kubernetesVersion) ? [{ source, image }] : [];
  });
  const [newest] = fitting.sort((a, b) => compare(b.image, a.image));
  if (newest === undefined) {
    throw new pulumi.RunError(
      `pools.${pool}: OKE offers no image with Kubernetes ${kubernetesVersion} for nodes of ${shape.name} (${offered.length} images offered; versions: ${versionsOf(offered)}). Set cluster.oke.kubernetesVersion to one of these, or name an image: pools.${pool}.image`,
    );
  }
  return newest.source;
}

function compare(a: OkeImage, b: OkeImage): number {
  return a.date === b.date ? a.build - b.build : a.date < b.date ? -1 : 1;
}

function versionsOf(offered: readonly ImageSource[]): string {
  const versions = offered.flatMap(({ sourceName }) => readOkeImage(sourceName)?.kubernetesVersion ?? []);
  return (
    [...new Set(versions)]
      .sort()
      .map((version) => `v${version}`)
      .join(", ") || "none"
  );
}
