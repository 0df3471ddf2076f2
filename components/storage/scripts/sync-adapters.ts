/**
 * Copies a model's LoRA adapters from Hugging Face into the bucket: `node sync-adapters.ts`, next to the sync of the model.
 * One that its engine would not load is refused here, where a Job says why, and not when the engine starts.
 */
import type { AdapterLimits } from "./adapter-files.ts";
import { adapterChoice } from "./choices.ts";
import { setConfigMapData } from "./kubernetes.ts";
import { type BundledFolder, repositoryOf } from "./repository.ts";
import { environmentVariable, runMain } from "./retry.ts";
import { S3Bucket } from "./s3.ts";
import { sync } from "./sync.ts";

/** An adapter as the plan has it. */
export interface AdapterToSync extends BundledFolder {
  readonly name: string;
  /** In the configuration. */
  readonly path: string;
  readonly repository: string;
  readonly revision: string;
  /** In the bucket, without a trailing slash. */
  readonly prefix: string;
}

if (process.env.RUN === "sync-adapters") {
  runMain(async () => {
    const adapters = JSON.parse(environmentVariable("ADAPTERS")) as readonly AdapterToSync[];
    const limits = JSON.parse(environmentVariable("ADAPTER_LIMITS")) as AdapterLimits;
    for (const { name, path, repository, revision, prefix, ...bundled } of adapters) {
      await sync({
        hub: repositoryOf(repository, bundled),
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
