import { engineOf } from "../../engines";
import { isMounted, parseSource, splitBucketUri } from "../../engines/sources";
import { goesThroughStore } from "../../planner/storage";
import type { ModelSource } from "../../planner/types";
import type { CoreConfig } from "./core/schema";
import { storeBucket } from "./core/store-backend";
import type { ModelConfig } from "./schema";

type Storage = Pick<CoreConfig["storage"], "backend" | "bucket" | "buckets" | "imageVolumes">;

/** A prefix of another of these buckets than the store's is copied into the store; any other bucket is the store's own. */
export function placedSource(source: ModelSource, storage: Storage): ModelSource {
  switch (source.kind) {
    case "bucket": {
      const { bucket } = splitBucketUri(source.uri);
      const isCopied = bucket !== storeBucket(storage) && Object.hasOwn(storage.buckets, bucket);
      return isCopied ? { ...source, copied: true } : source;
    }
    case "artifact":
      return storage.imageVolumes ? { ...source, mounted: true } : source;
    default:
      return source;
  }
}

/** Undefined for a model without `source`, or with one that cannot be read. */
function placedSourceOf({ source: text }: Pick<ModelConfig, "source">, storage: Storage): ModelSource | undefined {
  const source = text === undefined ? undefined : parseSource(text);
  return source && placedSource(source, storage);
}

/** Whether the engine takes the model's weights from the store. */
export function readsStore(model: ModelConfig, storage: Storage): boolean {
  const source = placedSourceOf(model, storage);
  return engineOf(model.engine).weightsFrom === "store" && (source === undefined || goesThroughStore(source));
}

/** Whether pods mount the model's weights. */
export function mountsSource(model: Pick<ModelConfig, "source">, storage: Storage): boolean {
  const source = placedSourceOf(model, storage);
  return source !== undefined && isMounted(source);
}
