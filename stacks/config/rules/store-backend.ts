/** `storage.backend`: what may take the place of the store in the cluster, and which models can do without one. */
import { engineOf } from "../../../engines";
import { parseSource, splitBucketUri } from "../../../engines/sources";
import { goesThroughStore } from "../../../planner/storage";
import { list, suggest } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { bucketBackend, storeBucket } from "../core/store-backend";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";
import { placedSource } from "../placed-source";
import type { ModelConfig } from "../schema";

type Storage = NonNullable<RuleContext["sections"]["storage"]>;

export const backendsAreBuckets: Rule = function* ({ sections: { storage } }) {
  const backend = storage && bucketBackend(storage);
  if (storage === undefined || backend === undefined) {
    return;
  }
  const { bucket, reader, writer } = backend;
  const path = ["storage", "backend", "bucket"];
  const settings = Object.hasOwn(storage.buckets, bucket) ? storage.buckets[bucket] : undefined;
  if (settings === undefined) {
    const known = Object.keys(storage.buckets);
    yield {
      path,
      value: bucket,
      allowed: `a bucket of storage.buckets: ${list(known)}`,
      fix: suggest(bucket, known, `add ${bucket} to storage.buckets, with its url and region`),
    };
  } else if (settings.secretKey !== undefined) {
    yield {
      path: ["storage", "buckets", bucket, "secretKey"],
      value: settings.secretKey,
      allowed: "nothing: keys of the store's bucket are those of storage.backend.reader and writer",
      fix: "remove it",
    };
  }
  const named = [reader, ...(writer ? [writer] : [])].flatMap(({ accessKey, secretKey }) => [accessKey, secretKey]);
  if (new Set(named).size < named.length) {
    yield {
      path: ["storage", "backend"],
      value: named,
      allowed: "a secret for each of these: pods of engines hold the reader's keys, and must not write",
      fix: "set keys of two users, of whom only writer may write and delete",
    };
  }
};

/** Settings of the store in the cluster. */
export const backendsHaveTheirSettings: Rule = function* ({ sections: { storage }, declared }) {
  if (storage === undefined || storage.backend === "minio") {
    return;
  }
  const ofTheCluster = ["sizeGiB", "bucket", ...(storage.backend === "none" ? ["nodeCacheGiB"] : [])] as const;
  for (const key of ofTheCluster) {
    const path = ["storage", key];
    if (declared.isWritten(path)) {
      yield {
        path,
        value: storage[key as keyof Storage],
        allowed: `nothing: storage.backend is ${storage.backend === "none" ? "none" : "a bucket"}, and no such store is in the cluster`,
        fix: `remove it, or write storage.backend: minio`,
      };
    }
  }
};

export const modelsHaveAStore: Rule = function* ({ sections: { storage, models } }) {
  if (storage?.backend !== "none") {
    return;
  }
  const stored = Object.entries(models ?? {}).flatMap(([name, model]) => (needsStore(model, storage) ? [name] : []));
  if (stored.length > 0) {
    yield {
      path: ["storage", "backend"],
      value: "none",
      allowed: `minio, or a bucket: weights of ${list(stored)} come through the model store`,
      fix: `remove storage.backend, or mount these models by source: pvc://claim/path (${OWN_WEIGHTS_PAGE})`,
    };
  }
};

/** Without keys that write, the store holds what others put there. */
export const storesAreFilled: Rule = function* ({ sections: { storage, models } }) {
  const backend = storage && bucketBackend(storage);
  if (storage === undefined || backend === undefined || backend.writer !== undefined) {
    return;
  }
  const copied = Object.entries(models ?? {}).flatMap(([name, model]) => (isCopied(model, storage) ? [name] : []));
  if (copied.length > 0) {
    yield {
      path: ["storage", "backend", "writer"],
      value: undefined,
      allowed: `keys of a user who may write: Jobs copy weights or adapters of ${list(copied)} into ${backend.bucket}`,
      fix: `add writer, or name what the bucket holds already: source: s3://${backend.bucket}/<prefix>`,
    };
  }
};

function needsStore({ engine, source: text }: ModelConfig, storage: Storage): boolean {
  const source = text === undefined ? undefined : parseSource(text);
  return (
    engineOf(engine).weightsFrom === "store" &&
    (source === undefined || goesThroughStore(placedSource(source, storage)))
  );
}

/** Whether a Job fills its prefix, or that of an adapter. */
function isCopied(model: ModelConfig, storage: Storage): boolean {
  const sources = [model.source, ...Object.values(model.adapters ?? {}).map(({ source }) => source)];
  const isThere = (source: string | undefined) =>
    source?.startsWith("s3://") === true && splitBucketUri(source).bucket === storeBucket(storage);
  return needsStore(model, storage) && !sources.every(isThere);
}
