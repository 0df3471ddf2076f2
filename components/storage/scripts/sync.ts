/**
 * Copies one Hugging Face repository at one commit into the bucket: `node sync.ts`.
 *
 * A file counts as copied when the store holds it with the size and the content id that the Hub states, so a run
 * after an interrupted one goes on with the next file. Every byte is hashed on its way and compared before the
 * object becomes visible; the manifest comes last and marks the copy as complete.
 */
import { createHash, type Hash } from "node:crypto";
import { huggingFaceToken } from "./credentials.ts";
import { HuggingFaceRepository, type RepositoryFile } from "./hugging-face.ts";
import { filesToCopy, MANIFEST, type Manifest, type ManifestFile, shardsOf, weightForm } from "./model-files.ts";
import { eachConcurrently, environmentVariable, FinalError, runMain, withRetries } from "./retry.ts";
import { PART_BYTES, S3Bucket } from "./s3.ts";

export interface SyncRequest {
  readonly hub: HuggingFaceRepository;
  readonly revision: string;
  readonly bucket: S3Bucket;
  /** Key prefix of the model, without a trailing slash. */
  readonly prefix: string;
  /** Refuse PyTorch files: what is streamed into GPUs must be safetensors. */
  readonly safetensorsOnly: boolean;
}

/** Files in flight: each holds up to two parts in memory. */
const CONCURRENT_FILES = 4;

/**
 * @returns the manifest that was written.
 * @throws FinalError naming the file that is missing, differs from what the Hub states, or cannot be read.
 */
export async function sync({ hub, revision, bucket, prefix, safetensorsOnly }: SyncRequest): Promise<Manifest> {
  const commit = await hub.commit(revision);
  const listed = new Map((await hub.files(commit)).map((file) => [file.path, file]));
  const paths = [...listed.keys()];
  const form = weightForm(paths);
  if (safetensorsOnly && !form.safetensors) {
    throw new FinalError(
      `${hub.repository} has no safetensors files, and only those can be streamed: set loading to "copy"`,
    );
  }
  const weights = form.index === undefined ? form.files : shardsOf(form.index, await hub.text(commit, form.index));
  const wanted = filesToCopy(paths, form, weights).flatMap((path) => listed.get(path) ?? []);
  const bytes = wanted.reduce((sum, file) => sum + file.size, 0);
  console.log(
    `${hub.repository}@${commit}: ${wanted.length} files, ${gigabytes(bytes)} GB -> s3://${bucket.bucket}/${prefix}/`,
  );

  const copied = new Map<string, ManifestFile>();
  await eachConcurrently(wanted, CONCURRENT_FILES, async (file) => {
    const key = `${prefix}/${file.path}`;
    const present = await storedCopy(bucket, key, file);
    const sha256 =
      present ?? (await withRetries(file.path, () => copy(hub, commit, bucket, key, file), { attempts: 3 }));
    copied.set(file.path, { path: file.path, size: file.size, sha256 });
    console.log(
      `${present ? "present" : "copied "} ${file.path} (${gigabytes(file.size)} GB, ${copied.size} of ${wanted.length})`,
    );
  });

  await verify(bucket, prefix, wanted);
  const files = wanted.flatMap(({ path }) => copied.get(path) ?? []);
  const manifest: Manifest = { repository: hub.repository, commit, files };
  await bucket.put(`${prefix}/${MANIFEST}`, Buffer.from(JSON.stringify(manifest, undefined, 2)));
  await removeOthers(bucket, prefix, files);
  console.log(`complete: s3://${bucket.bucket}/${prefix}/ holds ${files.length} files of ${hub.repository}@${commit}`);
  return manifest;
}

/** SHA-256 of the stored object when it is the file that the Hub lists. */
async function storedCopy(bucket: S3Bucket, key: string, file: RepositoryFile): Promise<string | undefined> {
  const head = await bucket.head(key);
  const same = head?.size === file.size && head.metadata["source-id"] === contentId(file);
  return same ? head.metadata.sha256 : undefined;
}

/** @returns the SHA-256 of what was written. */
async function copy(
  hub: HuggingFaceRepository,
  commit: string,
  bucket: S3Bucket,
  key: string,
  file: RepositoryFile,
): Promise<string> {
  if (file.sha256 === undefined || file.size < PART_BYTES) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of hub.download(commit, file)) {
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    const sha256 = createHash("sha256").update(body).digest("hex");
    check(file, body.byteLength, file.sha256 === undefined ? gitBlobId(body) : sha256);
    await bucket.put(key, body, { "source-id": contentId(file), sha256 });
    return sha256;
  }
  const expected = file.sha256;
  const hash = createHash("sha256");
  const seen = { bytes: 0 };
  await bucket.upload(
    key,
    hashed(hub.download(commit, file), hash, seen),
    { "source-id": contentId(file), sha256: expected },
    () => check(file, seen.bytes, hash.digest("hex")),
  );
  return expected;
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: Hash,
  seen: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    seen.bytes += chunk.byteLength;
    yield chunk;
  }
}

function check(file: RepositoryFile, bytes: number, id: string): void {
  if (bytes !== file.size) {
    throw new Error(`${file.path}: ${bytes} bytes arrived, the Hub lists ${file.size}`);
  }
  if (id !== contentId(file)) {
    throw new Error(`${file.path}: the content has id ${id}, the Hub lists ${contentId(file)}`);
  }
}

function contentId(file: RepositoryFile): string {
  return file.sha256 ?? file.gitBlob;
}

function gitBlobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.byteLength}\0`).update(content).digest("hex");
}

/** What the bucket holds now, compared once more with what was wanted. */
async function verify(bucket: S3Bucket, prefix: string, wanted: readonly RepositoryFile[]): Promise<void> {
  const stored = new Map((await bucket.list(`${prefix}/`)).map(({ key, size }) => [key, size]));
  const wrong = wanted.filter((file) => stored.get(`${prefix}/${file.path}`) !== file.size).map((file) => file.path);
  if (wrong.length > 0) {
    throw new FinalError(`s3://${bucket.bucket}/${prefix}/ lacks, or holds with another size: ${wrong.join(", ")}`);
  }
}

/** Shards of an earlier revision would be loaded beside the new ones by an engine that lists the prefix. */
async function removeOthers(bucket: S3Bucket, prefix: string, files: readonly ManifestFile[]): Promise<void> {
  const keep = new Set([MANIFEST, ...files.map((file) => file.path)].map((path) => `${prefix}/${path}`));
  for (const { key } of await bucket.list(`${prefix}/`)) {
    if (!keep.has(key)) {
      await bucket.delete(key);
      console.log(`removed ${key}: not part of this revision`);
    }
  }
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}

if (process.env.RUN === "sync") {
  runMain(async () => {
    await sync({
      hub: new HuggingFaceRepository(environmentVariable("REPOSITORY"), huggingFaceToken(), process.env.HF_ENDPOINT),
      revision: environmentVariable("REVISION"),
      bucket: S3Bucket.fromEnvironment(),
      prefix: environmentVariable("PREFIX"),
      safetensorsOnly: process.env.SAFETENSORS_ONLY === "true",
    });
  });
}
