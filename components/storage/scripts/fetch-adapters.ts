/**
 * Copies a model's LoRA adapters from the bucket to a local folder, each into one of its name: `node fetch-adapters.ts`, an
 * init container of the engine.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ADAPTER_CONFIG, type AdapterLimits, adapterFiles, checkAdapterConfig } from "./adapter-files.ts";
import { fetchFile, pinnedManifest, wantedFiles } from "./fetch.ts";
import { environmentVariable, runMain } from "./retry.ts";
import { S3Bucket } from "./s3.ts";

/** An adapter as the plan has it. */
export interface AdapterToFetch {
  readonly name: string;
  /** In the configuration. */
  readonly path: string;
  /** In the bucket, without a trailing slash. */
  readonly prefix: string;
  /** A sync Job copies it, and reported the SHA-256 of its manifest. */
  readonly isPinned: boolean;
}

/**
 * @param pins folder with the hashes that sync Jobs reported.
 * @throws FinalError when files are missing, differ from the manifest, or are none that the engine would load.
 */
export async function fetchAdapter(
  bucket: S3Bucket,
  { name, path, prefix, isPinned }: AdapterToFetch,
  limits: AdapterLimits,
  { pins, target }: { readonly pins: string; readonly target: string },
): Promise<void> {
  const files = await wantedFiles(bucket, prefix, pinnedManifest(isPinned ? join(pins, `${name}.sha256`) : undefined));
  const wanted = adapterFiles(path, files, limits);
  const folder = join(target, name);
  for (const file of files.filter((each) => wanted.includes(each.path))) {
    const outcome = await fetchFile(bucket, prefix, file, folder);
    console.log(`${outcome} ${name}/${file.path} (${(file.size / 1e6).toFixed(1)} MB)`);
  }
  // It was copied by hand, or room was planned for a smaller rank since.
  checkAdapterConfig(path, await readFile(join(folder, ADAPTER_CONFIG), "utf8"), limits);
}

if (process.env.RUN === "fetch-adapters") {
  runMain(async () => {
    const adapters = JSON.parse(environmentVariable("ADAPTERS")) as readonly AdapterToFetch[];
    const limits = JSON.parse(environmentVariable("ADAPTER_LIMITS")) as AdapterLimits;
    const folders = { pins: environmentVariable("PIN_FOLDER"), target: environmentVariable("TARGET") };
    for (const adapter of adapters) {
      await fetchAdapter(S3Bucket.fromEnvironment(), adapter, limits, folders);
    }
  });
}
