/** Requirements for writing a digest down: a container image for the catalogue's platforms. */
import { z } from "zod";
import { imagesFor, readTopLevel } from "../../catalog/oci-image";

const CONFIGS = ["application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json"];

/** As required by OCI's image specification. */
const descriptors = z
  .array(
    z.object({
      mediaType: z.string().min(1),
      digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
      size: z.int().nonnegative(),
      platform: z.object({ os: z.string(), architecture: z.string() }).optional(),
    }),
  )
  .min(1);

/**
 * @param content of the answer.
 * @param platforms `linux/amd64`; for an image without an index only their number is compared.
 * @throws Error for non-images, and for missing platforms.
 */
export function assertImage(content: Buffer, image: string, platforms: readonly string[]): void {
  const top = readTopLevel(content, image);
  const listed = top.kind === "index" ? top.manifests : top.blobs;
  const { error } = descriptors.safeParse(listed);
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Error(
      `${image}: the registry's ${top.kind} is malformed: ${[top.kind, ...(issue?.path ?? [])].join(".")}: ${issue?.message}`,
    );
  }
  if (top.kind === "index") {
    imagesFor(top.manifests, platforms, image);
    return;
  }
  const [config] = top.blobs;
  if (!CONFIGS.includes(config?.mediaType ?? "")) {
    throw new Error(`${image}: what the registry has is of the kind "${config?.mediaType}", and no container image`);
  }
  if (platforms.length > 1) {
    throw new Error(
      `${image}: the registry has one image without an index, and the catalogue wants ${platforms.join(" and ")}`,
    );
  }
}
