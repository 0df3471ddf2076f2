import table from "./image-digests.json";

/** What an image is, whatever its tag becomes. */
export interface ImageDigest {
  /** Repository and tag: `docker.io/valkey/valkey:9.1.2`. */
  readonly image: string;
  /** Of the index, where the image has one: `sha256:…`. */
  readonly digest: string;
  /** "registry", or what was read. */
  readonly source: string;
  readonly readOn: string;
}

/** An image that keeps its tag. */
export interface ImageByTag {
  readonly repository: string;
  readonly why: string;
}

export interface ImageDigests {
  readonly about: string;
  readonly digests: readonly ImageDigest[];
  readonly byTag: readonly ImageByTag[];
}

// Checked against catalog/schema by test/catalog.
export const imageDigests: ImageDigests = table;

const byImage = new Map(table.digests.map(({ image, digest }) => [image, digest]));

/** Undefined where nothing that was read has it: no digest is guessed. */
export function knownDigest(image: string): string | undefined {
  return byImage.get(image);
}

/** Reference to pull: with the digest behind the tag, where it is known. */
export function withDigest(image: string): string {
  const digest = knownDigest(image);
  return digest === undefined ? image : `${image}@${digest}`;
}
