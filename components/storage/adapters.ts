/** LoRA adapters in the model store: input of the scripts that copy them. */
import { engineOf, settingPath } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import type { MountedBundle } from "./bundled-models";
import type { AdapterLimits } from "./scripts/adapter-files";
import type { AdapterToFetch } from "./scripts/fetch-adapters";
import type { AdapterToSync } from "./scripts/sync-adapters";
import { adapterPath, adapterPrefix, isSynchronized, synchronizedAdapters } from "./store-layout";

/** What the adapters of a model must keep to. */
export function adapterLimits({ name, engine, adapters }: ModelPlan): AdapterLimits {
  const { maxRank = 0, fileGB = 0 } = adapters ?? {};
  return {
    maxRank,
    ranks: engineOf(engine).adapters?.ranks ?? [],
    rankKey: `models.${name}.${settingPath(engine, "maxLoraRank")}`,
    maxBytes: Math.ceil(fileGB * 1e9),
  };
}

/**
 * Those that come from Hugging Face.
 * @param bundle where their repositories lie on a node. @default they are downloaded
 */
export function adaptersToSync(model: ModelPlan, bucket: string, bundle?: MountedBundle): readonly AdapterToSync[] {
  return synchronizedAdapters(model).flatMap((adapter) =>
    adapter.source.kind !== "huggingface"
      ? []
      : [
          {
            name: adapter.name,
            path: adapterPath(model.name, adapter.name),
            repository: adapter.source.repository,
            revision: adapter.source.revision,
            prefix: adapterPrefix(model.name, adapter, bucket),
            ...bundle?.folderOf(adapter.source.repository, adapter.source.revision),
          },
        ],
  );
}

export function adaptersToFetch({ name: model, adapters }: ModelPlan, bucket: string): readonly AdapterToFetch[] {
  return (adapters?.list ?? []).map((adapter) => ({
    name: adapter.name,
    path: adapterPath(model, adapter.name),
    prefix: adapterPrefix(model, adapter, bucket),
    isPinned: isSynchronized(adapter),
  }));
}
