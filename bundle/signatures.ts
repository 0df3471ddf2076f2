import { parseImage } from "../catalog/image-reference";
import { signatureCommand } from "../catalog/image-signatures";
import { type ImageEntry, images } from "../catalog/images";

/** Catalogue row of an image, also on a mirror with its full name; undefined if absent. */
export function catalogueImage(reference: string): ImageEntry | undefined {
  const { repository, tag } = parseImage(reference);
  return images.find(
    (entry) => entry.tag === tag && (repository === entry.repository || repository.endsWith(`/${entry.repository}`)),
  );
}

/**
 * cosign commands for images with documented signatures. They use the publisher's registry, as
 * mirrors have no signatures.
 *
 * @param of with known or downloaded digests.
 */
export function signatureChecks(of: readonly { readonly reference: string; readonly digest?: string }[]): string[] {
  return of.flatMap(({ reference, digest }) => {
    const row = catalogueImage(reference);
    return (row && signatureCommand(row.repository, row.tag, digest)) ?? [];
  });
}
