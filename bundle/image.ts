import { createHash } from "node:crypto";
import { closeSync, createReadStream, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { splitReference } from "../catalog/image-mirror";
import { parseImage } from "../catalog/image-reference";
import {
  blobPath,
  CONTAINERD_NAME,
  containerdName,
  type Descriptor,
  imageArchive,
  imagesFor,
  layoutFiles,
  OCI_LICENSES,
  PLATFORMS,
  readTopLevel,
} from "../catalog/oci-image";
import type { Registry } from "../charts/registry";
import { type Saved, save } from "../downloads/save";
import { paddingOf, TAR_END, type TarEntry, tarEntries, tarHeader } from "../downloads/tar";

/** Image in the folder. */
export interface ImageInFolder extends Saved {
  /** Path in the folder. */
  readonly file: string;
  /** Registry digest, of the index if there is one. */
  readonly digest: string;
  /** `org.opencontainers.image.licenses` of its label. @default none */
  readonly license?: string;
}

export interface ImageRequest {
  readonly reference: string;
  /** `linux/amd64`. */
  readonly platforms: readonly string[];
}

export interface Folders {
  /** Bundle folder. */
  readonly root: string;
  /** Blobs of an image with an incomplete archive, for resuming. */
  readonly blobs: string;
}

export function imageFile(reference: string): string {
  return `images/${imageArchive(reference)}`;
}

/**
 * Image of an archive; undefined if absent, or for another image or platform. Reads only the index,
 * which is first.
 */
export function archivedImage(
  path: string,
  { reference, platforms }: ImageRequest,
): Pick<ImageInFolder, "digest" | "license"> | undefined {
  if (!existsSync(path)) {
    return undefined;
  }
  const beginning = Buffer.alloc(16 * 1024);
  const file = openSync(path, "r");
  try {
    const read = readSync(file, beginning, 0, beginning.length, 0);
    const index = tarEntries(beginning.subarray(0, read)).find((entry) => entry.path === "index.json");
    const { manifests = [] } = JSON.parse(String(index?.content ?? "{}")) as { readonly manifests?: Descriptor[] };
    const [{ digest, annotations = {} } = {}] = manifests;
    const wanted = parseImage(reference).digest ?? digest;
    const isIt =
      annotations[CONTAINERD_NAME] === containerdName(reference) && annotations[PLATFORMS] === platforms.join(",");
    const license = annotations[OCI_LICENSES];
    return isIt && digest !== undefined && digest === wanted
      ? { digest, ...(license !== undefined && { license }) }
      : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Downloads an image into an archive: index or manifest, and blobs of the nodes' platforms.
 * Verifies each blob, and keeps it until the archive is complete.
 *
 * @throws Error with the image and the registry's answer.
 */
export async function fetchImage(
  registry: Registry,
  { reference, platforms }: ImageRequest,
  folders: Folders,
  onBytes: (bytes: number) => void,
): Promise<ImageInFolder> {
  const repository = repositoryOf(reference);
  const content = await registry.manifest(pulledReference(reference));
  const digest = digestOf(content);
  const { digest: wanted } = parseImage(reference);
  if (wanted !== undefined && wanted !== digest) {
    throw new Error(`${reference}: its registry has ${digest} under that name`);
  }
  const top = readTopLevel(content, reference);
  const manifests = new Map([[digest, content]]);
  if (top.kind === "index") {
    for (const each of imagesFor(top.manifests, platforms, reference)) {
      const own = await registry.manifest(`${repository}@${each.digest}`);
      if (digestOf(own) !== each.digest) {
        throw new Error(`${reference}: the registry answers ${digestOf(own)} for ${each.digest}`);
      }
      manifests.set(each.digest, own);
    }
  }
  const blobs = uniqueBlobs(
    [...manifests.values()].flatMap((own) => {
      const read = readTopLevel(own, reference);
      return read.kind === "manifest" ? read.blobs : [];
    }),
  );
  for (const { digest: blob, size } of blobs) {
    const path = blobFile(folders, blob);
    if (!existsSync(path)) {
      const sha256 = sha256Of(blob, reference);
      await save(
        `${reference}, ${blob}`,
        path,
        () => registry.blob(repository, blob),
        { bytes: size, sha256 },
        {
          resumes: false,
          onBytes,
        },
      );
    }
  }
  const configs = [...manifests.values()].flatMap((own) => {
    const read = readTopLevel(own, reference);
    return read.kind === "manifest" ? read.blobs.slice(0, 1) : [];
  });
  const described = await Promise.all(configs.map((config) => readConfig(blobFile(folders, config.digest))));
  refuseOtherPlatforms(reference, platforms, described);
  const license = described.flatMap((config) => config.license ?? [])[0];
  const file = imageFile(reference);
  const description = { mediaType: top.mediaType, digest, size: content.length };
  const said = { [PLATFORMS]: platforms.join(","), ...(license !== undefined && { [OCI_LICENSES]: license }) };
  const small = layoutFiles(reference, description, said);
  const saved = await save(
    reference,
    join(folders.root, file),
    () => archive(small, manifests, blobs, folders),
    {},
    { resumes: false },
  );
  return { file, digest, ...saved, ...(license !== undefined && { license }) };
}

async function* archive(
  layout: readonly TarEntry[],
  manifests: ReadonlyMap<string, Buffer>,
  blobs: readonly Descriptor[],
  folders: Folders,
): AsyncGenerator<Uint8Array> {
  const small = [...layout, ...[...manifests].map(([digest, content]) => ({ path: blobPath(digest), content }))];
  for (const { path, content } of small) {
    yield tarHeader(path, content.length);
    yield content;
    yield paddingOf(content.length);
  }
  for (const { digest, size } of blobs) {
    yield tarHeader(blobPath(digest), size);
    yield* createReadStream(blobFile(folders, digest), { highWaterMark: 2 ** 21 });
    yield paddingOf(size);
  }
  yield TAR_END;
}

function blobFile({ blobs }: Folders, digest: string): string {
  return join(blobs, digest.replace(":", "-"));
}

function uniqueBlobs(blobs: readonly Descriptor[]): Descriptor[] {
  return [...new Map(blobs.map((blob) => [blob.digest, blob])).values()];
}

/** Registry and repository, without tag and digest. */
function repositoryOf(reference: string): string {
  const { registry, path } = splitReference(parseImage(reference).repository);
  return `${registry}/${path}`;
}

/** Prefers the digest, as the tag may have moved. */
function pulledReference(reference: string): string {
  const { tag, digest } = parseImage(reference);
  return `${repositoryOf(reference)}${digest === undefined ? `:${tag ?? "latest"}` : `@${digest}`}`;
}

/** Registry digest of raw bytes. */
export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** @throws Error for unsupported digest algorithms. */
function sha256Of(digest: string, reference: string): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (hex === undefined) {
    throw new Error(`${reference}: "${digest}" is no SHA-256`);
  }
  return hex;
}

interface ImageConfig {
  readonly platform: string;
  readonly license?: string;
}

async function readConfig(path: string): Promise<ImageConfig> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path)) {
    chunks.push(chunk as Buffer);
  }
  const { os, architecture, config } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
    readonly os?: string;
    readonly architecture?: string;
    readonly config?: { readonly Labels?: Readonly<Record<string, string>> | null };
  };
  const license = config?.Labels?.[OCI_LICENSES];
  return { platform: `${os ?? ""}/${architecture ?? ""}`, ...(license && { license }) };
}

/** An image without an index may be for another platform. */
function refuseOtherPlatforms(reference: string, platforms: readonly string[], configs: readonly ImageConfig[]): void {
  const missing = platforms.filter((wanted) => !configs.some(({ platform }) => platform === wanted));
  if (missing.length > 0) {
    const there = configs.map(({ platform }) => platform).join(", ");
    throw new Error(`${reference} is not made for ${missing.join(" and ")}, only for ${there}`);
  }
}
