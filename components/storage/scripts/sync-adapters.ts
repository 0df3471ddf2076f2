/**
 * Copies a model's LoRA adapters from Hugging Face into the bucket: `node sync-adapters.ts`, beside the sync of the model.
 * One that its engine would not load is refused here, where a Job says why, and not when the engine starts.
 */
import { ADAPTER_CONFIG, type AdapterLimits, adapterFiles, checkAdapterConfig } from "./adapter-files.ts";
import { huggingFaceToken } from "./credentials.ts";
import { HuggingFaceRepository } from "./hugging-face.ts";
import { setConfigMapData } from "./kubernetes.ts";
import { environmentVariable, runMain } from "./retry.ts";
import { S3Bucket } from "./s3.ts";
import { type Choice, sync } from "./sync.ts";

/** An adapter as the plan has it. */
export interface AdapterToSync {
  readonly name: string;
  /** In the configuration. */
  readonly path: string;
  readonly repository: string;
  readonly revision: string;
  /** In the bucket, without a trailing slash. */
  readonly prefix: string;
}

/** @throws FinalError when the engine would not load what the repository has. */
export function adapterChoice(path: string, limits: AdapterLimits): Choice {
  return async (hub, commit, files) => {
    const wanted = adapterFiles(path, files, limits);
    checkAdapterConfig(path, await hub.text(commit, ADAPTER_CONFIG), limits);
    return wanted;
  };
}

if (process.env.RUN === "sync-adapters") {
  runMain(async () => {
    const adapters = JSON.parse(environmentVariable("ADAPTERS")) as readonly AdapterToSync[];
    const limits = JSON.parse(environmentVariable("ADAPTER_LIMITS")) as AdapterLimits;
    for (const { name, path, repository, revision, prefix } of adapters) {
      await sync({
        hub: new HuggingFaceRepository(repository, huggingFaceToken(), process.env.HF_ENDPOINT),
        revision,
        bucket: S3Bucket.fromEnvironment(),
        prefix,
        choose: adapterChoice(path, limits),
        pin: (sha256, { commit }) =>
          setConfigMapData(environmentVariable("PIN_NAMESPACE"), environmentVariable("PIN_CONFIG_MAP"), {
            [`${name}.sha256`]: sha256,
            [`${name}.commit`]: commit,
          }),
      });
    }
  });
}
