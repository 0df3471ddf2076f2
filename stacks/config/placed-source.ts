import { engineOf } from "../../engines";
import { parseSource, splitBucketUri } from "../../engines/sources";
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

/** Whether the engine takes the model's weights from the store. */
export function readsStore({ engine, source: text }: ModelConfig, storage: Storage): boolean {
  const source = text === undefined ? undefined : parseSource(text);
  const isStored = source === undefined || goesThroughStore(placedSource(source, storage));
  return engineOf(engine).weightsFrom === "store" && isStored;
}
