/**
 * Copies a model from the bucket to a local folder: `node fetch.ts`, the init container of an engine.
 *
 * A file gets its final name only after its checksum matched, so a restarted container goes on with the files
 * that are missing. Several threads share the work: decrypting and hashing on one thread is slower than a node's
 * link.
 */
import { createHash } from "node:crypto";
import { createWriteStream, readFileSync } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { MANIFEST, type Manifest, refuseUnsafePaths } from "./model-files.ts";
import { environmentVariable, FinalError, type RetryOptions, runMain, withRetries } from "./retry.ts";
import { S3Bucket } from "./s3.ts";

export interface WantedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Unknown for files that no sync Job wrote. */
  readonly sha256?: string;
}

/**
 * What a model consists of: its manifest, else (a folder that was filled by hand) whatever is below the prefix.
 *
 * @param pin SHA-256 that the manifest must have; `undefined` where no sync Job writes one.
 * @throws FinalError when nothing is there, when the manifest is missing or another one than was pinned, or when it
 * names files outside of the prefix.
 */
export async function wantedFiles(bucket: S3Bucket, prefix: string, pin: string | undefined): Promise<WantedFile[]> {
  const location = `s3://${bucket.bucket}/${prefix}/`;
  const text = await bucket.text(`${prefix}/${MANIFEST}`);
  if (text === undefined && pin !== undefined) {
    throw new FinalError(`${location} has no ${MANIFEST}: the sync Job of this model has not finished`);
  }
  if (text !== undefined && pin !== undefined) {
    const sha256 = createHash("sha256").update(text).digest("hex");
    if (sha256 !== pin) {
      throw new FinalError(
        `${location}${MANIFEST} has the SHA-256 ${sha256}, but the sync Job of this model reported ${pin}. ` +
          "Either a sync is under way, and the next attempt succeeds, or another writer changed the bucket: " +
          "then find out who, delete what lies below the prefix, and run the sync Job again",
      );
    }
  }
  const files = text === undefined ? await listed(bucket, prefix) : [...(JSON.parse(text) as Manifest).files];
  refuseUnsafePaths(
    location,
    files.map(({ path }) => path),
  );
  return files;
}

async function listed(bucket: S3Bucket, prefix: string): Promise<WantedFile[]> {
  const objects = await bucket.list(`${prefix}/`);
  if (objects.length === 0) {
    throw new FinalError(`s3://${bucket.bucket}/${prefix}/ is empty`);
  }
  return objects.map(({ key, size }) => ({ path: key.slice(prefix.length + 1), size }));
}

/**
 * The hash that the sync Job reported.
 *
 * @param path of the mounted file with it; `undefined` where no sync Job reports one.
 * @throws FinalError when the Job has not reported it yet.
 */
export function pinnedManifest(path: string | undefined): string | undefined {
  if (!path) {
    return undefined;
  }
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new FinalError(
      `${path}: ${(error as NodeJS.ErrnoException).code}: the sync Job of this model has not reported what it copied`,
    );
  }
}

/** @throws FinalError when the content differs from the manifest in every attempt. */
export async function fetchFile(
  bucket: S3Bucket,
  prefix: string,
  file: WantedFile,
  target: string,
  retries: RetryOptions = { attempts: 3 },
): Promise<"present" | "copied"> {
  const path = join(target, file.path);
  if ((await sizeOf(path)) === file.size) {
    return "present";
  }
  await mkdir(dirname(path), { recursive: true });
  await withRetries(
    file.path,
    async () => {
      const hash = createHash("sha256");
      let bytes = 0;
      const response = await bucket.get(`${prefix}/${file.path}`);
      const measured = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of response.body ?? []) {
          hash.update(chunk);
          bytes += chunk.byteLength;
          yield chunk;
        }
      };
      await pipeline(measured, createWriteStream(`${path}.part`, { highWaterMark: 8 * 2 ** 20 }));
      const sha256 = hash.digest("hex");
      if (bytes !== file.size || (file.sha256 !== undefined && sha256 !== file.sha256)) {
        throw new Error(
          `${file.path}: got ${bytes} bytes with SHA-256 ${sha256}, expected ${file.size} with ${file.sha256 ?? "any"}`,
        );
      }
      await rename(`${path}.part`, path);
    },
    retries,
  );
  return "copied";
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}

interface Share {
  readonly files: readonly WantedFile[];
  /** Index of the next file that is not taken. */
  readonly next: Int32Array;
  readonly prefix: string;
  readonly target: string;
}

async function work({ files, next, prefix, target }: Share): Promise<void> {
  const bucket = S3Bucket.fromEnvironment();
  for (let file = files[Atomics.add(next, 0, 1)]; file; file = files[Atomics.add(next, 0, 1)]) {
    const outcome = await fetchFile(bucket, prefix, file, target);
    console.log(`${outcome} ${file.path} (${(file.size / 1e9).toFixed(2)} GB)`);
  }
}

async function main(script: string): Promise<void> {
  const prefix = environmentVariable("PREFIX");
  const target = environmentVariable("TARGET");
  const files = await wantedFiles(S3Bucket.fromEnvironment(), prefix, pinnedManifest(process.env.MANIFEST_PIN));
  const largestFirst = [...files].sort((a, b) => b.size - a.size);
  const started = Date.now();
  const share: Share = { files: largestFirst, next: new Int32Array(new SharedArrayBuffer(4)), prefix, target };
  const threads = Math.min(files.length, Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: threads }, () => inThread(script, share)));
  const gigabytes = files.reduce((sum, file) => sum + file.size, 0) / 1e9;
  console.log(
    `complete: ${files.length} files, ${gigabytes.toFixed(2)} GB in ${Math.round((Date.now() - started) / 1000)} s`,
  );
}

function inThread(script: string, share: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: share });
    worker.once("error", reject);
    worker.once("exit", (code) =>
      code === 0 ? resolve() : reject(new FinalError("a file could not be copied, see above")),
    );
  });
}

if (process.env.RUN === "fetch") {
  const script = process.argv[1] ?? "";
  runMain(() => (isMainThread ? main(script) : work(workerData as Share)));
}
