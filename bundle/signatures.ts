import { parseImage } from "../catalog/image-reference";
import { signatureCommand } from "../catalog/image-signatures";
import { type ImageEntry, images } from "../catalog/images";

/** The row of an image, also of one on a mirror that holds it under its whole name; undefined for what the catalogue has not. */
export function catalogueImage(reference: string): ImageEntry | undefined {
  const { repository, tag } = parseImage(reference);
  return images.find(
    (entry) => entry.tag === tag && (repository === entry.repository || repository.endsWith(`/${entry.repository}`)),
  );
}

/**
 * cosign commands for those images whose publishers sign them and say how to check that: at the publisher, for a mirror has no signatures.
 *
 * @param of with the digests that are known of them, or that were fetched.
 */
export function signatureChecks(of: readonly { readonly reference: string; readonly digest?: string }[]): string[] {
  return of.flatMap(({ reference, digest }) => {
    const row = catalogueImage(reference);
    return (row && signatureCommand(row.repository, row.tag, digest)) ?? [];
  });
}
