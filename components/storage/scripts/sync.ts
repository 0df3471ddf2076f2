/**
 * Copies one Hugging Face repository at one commit into the bucket: `node sync.ts`. From the Hub, or from a folder that a
 * bundle has of it. Or a prefix of another bucket, which has no commits; or an artifact of a registry.
 *
 * A file counts as copied when the store holds it with the size and the content id that the Hub states, so a run
 * after an interrupted one goes on with the next file. Every byte is hashed on its way and compared before the
 * object becomes visible; the manifest comes last and marks the copy as complete. Its hash goes to a place outside of
 * the bucket, where engines compare it: who can write into the bucket cannot give them other files.
 */
import { createHash } from "node:crypto";
import { type Choice, modelFiles } from "./choices.ts";
import { contentHash, contentId } from "./content-id.ts";
import type { Repository, RepositoryFile } from "./hugging-face.ts";
import { setConfigMapData } from "./kubernetes.ts";
import { isSafePath, JOURNAL, type Journal, MANIFEST, type Manifest, type ManifestFile } from "./model-files.ts";
import { artifactOf, bucketOf, repositoryOf } from "./repository.ts";
import { eachConcurrently, environmentVariable, FinalError, type RetryOptions, runMain, withRetries } from "./retry.ts";
import { S3Bucket } from "./s3.ts";

export interface SyncRequest {
  /** The Hub, or a folder. */
  readonly hub: Repository;
  readonly revision: string;
  readonly bucket: S3Bucket;
  /** Key prefix of the model, without a trailing slash. */
  readonly prefix: string;
  /** What of the repository is copied. */
  readonly choose: Choice;
  /** Keeps the SHA-256 of the manifest outside of the bucket. */
  readonly pin: (manifestSha256: string, manifest: Manifest) => Promise<void>;
  /** Of the copy of each file. @default 3 attempts */
  readonly retries?: RetryOptions;
}

/** Files in flight: each holds up to two parts in memory. */
const CONCURRENT_FILES = 4;

/**
 * @returns the manifest that was written.
 * @throws FinalError naming the file that is missing, differs from what the Hub states, or cannot be read.
 */
export async function sync(request: SyncRequest): Promise<Manifest> {
  const { hub, revision, bucket, prefix, choose, pin, retries = { attempts: 3 } } = request;
  const commit = await hub.commit(revision);
  const listed = new Map((await hub.files(commit)).map((file) => [file.path, file]));
  const paths = await choose(hub, commit, [...listed.values()]);
  const wanted = paths.flatMap((path) => listed.get(path) ?? []);
  const bytes = wanted.reduce((sum, file) => sum + file.size, 0);
  console.log(
    `${hub.repository}@${commit}: ${wanted.length} files, ${gigabytes(bytes)} GB -> s3://${bucket.bucket}/${prefix}/`,
  );

  const written = await writtenBefore(bucket, prefix);
  await bucket.put(`${prefix}/${JOURNAL}`, json({ paths: [...new Set([...written, ...wanted.map(pathOf)])] }));
  const copied = new Map<string, ManifestFile>();
  // As the source has them: an archive gives its files in its own order.
  const chosen = new Set(wanted.map(pathOf));
  const inOrder = [...listed.values()].filter(({ path }) => chosen.has(path));
  await eachConcurrently(inOrder, hub.filesAtOnce ?? CONCURRENT_FILES, async (file) => {
    const key = `${prefix}/${file.path}`;
    const present = await storedCopy(bucket, key, file);
    const sha256 = present ?? (await withRetries(file.path, () => copy(hub, commit, bucket, key, file), retries));
    copied.set(file.path, { path: file.path, size: file.size, sha256 });
    console.log(
      `${present ? "present" : "copied "} ${file.path} (${gigabytes(file.size)} GB, ${copied.size} of ${wanted.length})`,
    );
  });

  await verify(bucket, prefix, wanted);
  const files = wanted.flatMap(({ path }) => copied.get(path) ?? []);
  const manifest: Manifest = { repository: hub.repository, commit, files };
  const text = json(manifest);
  await bucket.put(`${prefix}/${MANIFEST}`, text);
  await pin(createHash("sha256").update(text).digest("hex"), manifest);
  await removeOthers(bucket, prefix, written, files);
  console.log(`complete: s3://${bucket.bucket}/${prefix}/ holds ${files.length} files of ${hub.repository}@${commit}`);
  return manifest;
}

/**
 * SHA-256 of the file when the stored object is it. The hash is the Hub's, or that of the bytes: what an object says of
 * itself is as good as its author.
 */
async function storedCopy(bucket: S3Bucket, key: string, file: RepositoryFile): Promise<string | undefined> {
  const head = await bucket.head(key);
  if (head?.size !== file.size || head.metadata["source-id"] !== contentId(file)) {
    return undefined;
  }
  if (file.sha256 !== undefined) {
    return file.sha256;
  }
  const id = contentHash(file);
  if (id === undefined) {
    return undefined;
  }
  const sha256 = createHash("sha256");
  for await (const chunk of (await bucket.get(key)).body ?? []) {
    id.update(chunk);
    sha256.update(chunk);
  }
  return id.id() === contentId(file) ? sha256.digest("hex") : undefined;
}

/** @returns the SHA-256 of what was written. */
async function copy(
  hub: Repository,
  commit: string,
  bucket: S3Bucket,
  key: string,
  file: RepositoryFile,
): Promise<string> {
  const id = contentHash(file);
  const sha256 = createHash("sha256");
  const seen = { bytes: 0 };
  const content = hashed(hub.download(commit, file), [sha256, ...(id ? [id] : [])], seen);
  const arrived = () => check(hub, file, seen.bytes, id?.id());
  if (file.size < bucket.partBytes) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) {
      chunks.push(chunk);
    }
    arrived();
    const hash = sha256.digest("hex");
    await bucket.put(key, Buffer.concat(chunks), { "source-id": contentId(file), sha256: hash });
    return hash;
  }
  const known: Readonly<Record<string, string>> = file.sha256 === undefined ? {} : { sha256: file.sha256 };
  await bucket.upload(key, content, { "source-id": contentId(file), ...known }, arrived);
  return sha256.digest("hex");
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hashes: readonly { update(chunk: Uint8Array): unknown }[],
  seen: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (const hash of hashes) {
      hash.update(chunk);
    }
    seen.bytes += chunk.byteLength;
    yield chunk;
  }
}

/** @param id of what arrived. @default nothing is known of it */
function check({ repository }: Repository, file: RepositoryFile, bytes: number, id: string | undefined): void {
  if (bytes !== file.size) {
    throw new Error(`${file.path}: ${bytes} bytes arrived, ${repository} lists ${file.size}`);
  }
  if (id !== undefined && id !== contentId(file)) {
    throw new Error(`${file.path}: the content has id ${id}, ${repository} lists ${contentId(file)}`);
  }
}

/** What the bucket holds now, compared once more with what was wanted. */
async function verify(bucket: S3Bucket, prefix: string, wanted: readonly RepositoryFile[]): Promise<void> {
  const stored = new Map((await bucket.list(`${prefix}/`)).map(({ key, size }) => [key, size]));
  const wrong = wanted.filter((file) => stored.get(`${prefix}/${file.path}`) !== file.size).map(pathOf);
  if (wrong.length > 0) {
    throw new FinalError(`s3://${bucket.bucket}/${prefix}/ lacks, or holds with another size: ${wrong.join(", ")}`);
  }
}

/** Paths below the prefix that earlier syncs of this model wrote, complete ones and interrupted ones. */
async function writtenBefore(bucket: S3Bucket, prefix: string): Promise<string[]> {
  const manifest = readable<Manifest>(await bucket.text(`${prefix}/${MANIFEST}`));
  const journal = readable<Journal>(await bucket.text(`${prefix}/${JOURNAL}`));
  const paths: unknown[] = [...(manifest?.files ?? []).map(pathOf), ...(journal?.paths ?? [])];
  return [...new Set(paths)].filter((path) => typeof path === "string").filter(isSafePath);
}

/** `undefined` for what is not there or damaged: both are written anew. */
function readable<T>(text: string | undefined): Partial<T> | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Partial<T>);
  } catch {
    return undefined;
  }
}

/**
 * Shards of an earlier revision would be loaded with the new ones by an engine that lists the prefix. Only what a sync
 * of this model wrote is deleted, whatever else lies below the prefix.
 */
async function removeOthers(
  bucket: S3Bucket,
  prefix: string,
  written: readonly string[],
  files: readonly ManifestFile[],
): Promise<void> {
  const ours = new Set(written);
  const keep = new Set([MANIFEST, JOURNAL, ...files.map(pathOf)]);
  for (const { key } of await bucket.list(`${prefix}/`)) {
    const path = key.slice(prefix.length + 1);
    if (keep.has(path)) {
      continue;
    }
    if (ours.has(path)) {
      await bucket.delete(key);
      console.log(`removed ${key}: not part of this revision`);
    } else {
      console.log(`left ${key}: no sync of this model wrote it`);
    }
  }
  await bucket.delete(`${prefix}/${JOURNAL}`);
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

function json(content: Manifest | Journal): Buffer {
  return Buffer.from(JSON.stringify(content, undefined, 2));
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}

function source(): Repository {
  const {
    SOURCE_BUCKET: bucket,
    SOURCE_REGISTRY: registry,
    FOLDER: folder,
    FOLDER_MANIFEST_SHA256: sha256,
  } = process.env;
  if (bucket) {
    return bucketOf(bucket);
  }
  return registry
    ? artifactOf(registry)
    : repositoryOf(environmentVariable("REPOSITORY"), { folder, manifestSha256: sha256 });
}

if (process.env.RUN === "sync") {
  runMain(async () => {
    await sync({
      hub: source(),
      revision: process.env.REVISION ?? "",
      bucket: S3Bucket.fromEnvironment(),
      prefix: environmentVariable("PREFIX"),
      choose: modelFiles({
        safetensorsOnly: process.env.SAFETENSORS_ONLY === "true",
        withCode: process.env.WITH_CODE === "true",
        template: process.env.TEMPLATE_WANTED ? JSON.parse(process.env.TEMPLATE_WANTED) : undefined,
      }),
      pin: (sha256, { commit }) =>
        setConfigMapData(environmentVariable("PIN_NAMESPACE"), environmentVariable("PIN_CONFIG_MAP"), {
          sha256,
          commit,
        }),
    });
  });
}
