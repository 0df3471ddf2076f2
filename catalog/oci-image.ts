/**
 * An OCI archive for k3s' import: the registry's index or manifest, with the parts of the nodes'
 * platforms. k3s (pkg/agent/containerd/containerd.go, read 2026-11-23) skips missing platforms
 * (k3s-io/k3s#10136), needs a tag in `io.containerd.image.name`, and tags `<name>@<digest of the
 * index>` (k3s-io/k3s#13221). Pods with tag and digest resolve by digest, so it must be the
 * index's.
 */
import { splitReference } from "./image-mirror";
import { parseImage } from "./image-reference";

export const CONTAINERD_NAME = "io.containerd.image.name";
export const OCI_NAME = "org.opencontainers.image.ref.name";
/** What the image is licensed under, as its makers say. */
export const OCI_LICENSES = "org.opencontainers.image.licenses";
/** Platforms that an archive has of an index: others it only names. */
export const PLATFORMS = "inference-stacks.platforms";

const INDEX_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
const MANIFEST_TYPES = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a registry answers for a reference: an index of images for platforms, or one image. */
export type TopLevel =
  | { readonly kind: "index"; readonly mediaType: string; readonly manifests: readonly Descriptor[] }
  | { readonly kind: "manifest"; readonly mediaType: string; readonly blobs: readonly Descriptor[] };

/**
 * Index or manifest.
 * @throws Error for Docker's first schema or invalid JSON.
 */
export function readTopLevel(content: Buffer, where: string): TopLevel {
  const json = JSON.parse(content.toString("utf8")) as {
    readonly mediaType?: string;
    readonly manifests?: readonly Descriptor[];
    readonly config?: Descriptor;
    readonly layers?: readonly Descriptor[];
  };
  const { mediaType, manifests, config, layers } = json;
  if (manifests) {
    return { kind: "index", mediaType: known(mediaType, INDEX_TYPES, where), manifests };
  }
  if (config && layers) {
    return { kind: "manifest", mediaType: known(mediaType, MANIFEST_TYPES, where), blobs: [config, ...layers] };
  }
  throw new Error(`${where}: the registry answers neither an image nor an index of images`);
}

/** The type is optional in what OCI specifies. */
function known(mediaType: string | undefined, types: readonly string[], where: string): string {
  if (mediaType === undefined) {
    return types[0] as string;
  }
  if (!types.includes(mediaType)) {
    throw new Error(`${where}: "${mediaType}" is a kind of image that containerd does not import`);
  }
  return mediaType;
}

/**
 * For platforms such as `linux/amd64`.
 * @throws Error with missing and available platforms.
 */
export function imagesFor(manifests: readonly Descriptor[], platforms: readonly string[], where: string): Descriptor[] {
  const offered = manifests.map((descriptor) => ({ descriptor, platform: platformOf(descriptor) }));
  const missing = platforms.filter((wanted) => !offered.some(({ platform }) => platform === wanted));
  if (missing.length > 0) {
    const there = [...new Set(offered.flatMap(({ platform }) => platform ?? []))].sort();
    throw new Error(`${where} is not made for ${missing.join(" and ")}, only for ${there.join(", ") || "none"}`);
  }
  return offered.flatMap(({ descriptor, platform = "" }) => (platforms.includes(platform) ? [descriptor] : []));
}

/** Attestations are in an index under the platform "unknown/unknown". */
function platformOf({ platform }: Descriptor): string | undefined {
  return platform && platform.os !== "unknown" ? `${platform.os}/${platform.architecture}` : undefined;
}

/** Under which name k3s keeps it: registry, repository and tag, as containerd writes them out. */
export function containerdName(reference: string): string {
  const { repository, tag, digest } = parseImage(reference);
  const { registry, path } = splitReference(repository);
  // Without a tag k3s would refuse it; the digest finds it all the same.
  return `${registry}/${path}:${tag ?? `digest-${(digest ?? "").replace("sha256:", "").slice(0, 12)}`}`;
}

/** Name of the archive: of letters, digits, dots and dashes. */
export function imageArchive(reference: string): string {
  return `${containerdName(reference).replaceAll(/[^A-Za-z0-9.-]+/g, "_")}.tar`;
}

/**
 * Layout and index of the archive.
 * @param annotations of the image, in addition to its names.
 */
export function layoutFiles(
  reference: string,
  top: Descriptor,
  annotations: Readonly<Record<string, string>>,
): { readonly path: string; readonly content: Buffer }[] {
  const name = containerdName(reference);
  const names = { [CONTAINERD_NAME]: name, [OCI_NAME]: parseImage(name).tag };
  const manifests = [{ ...top, annotations: { ...names, ...annotations } }];
  const index = { schemaVersion: 2, mediaType: INDEX_TYPES[0], manifests };
  return [
    { path: "oci-layout", content: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
    { path: "index.json", content: Buffer.from(JSON.stringify(index)) },
  ];
}

/** Position of a blob in the archive. */
export function blobPath(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}
