import { parseSource, splitBucketUri } from "../../../engines/sources";
import { hubPrefix, OWN_FOLDERS } from "../../../planner/storage";
import { list, type Path, suggest } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { bucketBackend, storeBucket } from "../core/store-backend";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";
import { readsStore } from "../placed-source";
import type { ModelConfig } from "../schema";
import { sourceRegistry } from "../source-registry";
import { storeFolder } from "../store-folder";

/** Weights come from the environment's own store, with keys for it only. */
export const bucketSourcesAreInTheStore: Rule = function* ({ sections: { models = {}, storage } }) {
  const sources = Object.entries(models).flatMap(([name, { source, adapters = {} }]) => [
    { path: ["models", name, "source"], source, folder: name },
    ...Object.entries(adapters).map(([adapter, { source: of }]) => ({
      path: ["models", name, "adapters", adapter],
      source: of,
      folder: `${name}-${adapter}`,
    })),
  ]);
  if (storage === undefined || storage.backend === "none") {
    return;
  }
  const bucket = storeBucket(storage);
  for (const { path, source, folder } of sources) {
    const isModel = path.at(-1) === "source";
    const mayBeElsewhere = isModel && bucketElsewhere(source, storage) !== undefined;
    if (source?.startsWith("s3://") && !bucketPrefix(source, bucket) && !mayBeElsewhere) {
      const copy = `copy the files to s3://${bucket}/${folder} (${OWN_WEIGHTS_PAGE}) and name that`;
      yield {
        path,
        value: source,
        allowed: `a prefix in the environment's model store, s3://${bucket}/…${elsewhere(storage)}`,
        fix: isModel ? placeFix(source, storage, copy) : `${copy}, or name a repository, hf://org/name`,
        causes: [["storage", "buckets"]],
      };
    }
  }
};

function placeFix(source: string, storage: NonNullable<Storage>, copy: string): string {
  const { bucket, prefix } = splitBucketUri(source);
  const known = [storeBucket(storage), ...Object.keys(storage.buckets)];
  if (prefix === "" && known.includes(bucket)) {
    return `write the folder of the model in that bucket: s3://${bucket}/<prefix>`;
  }
  return suggest(bucket, known, `add the bucket under storage.buckets, ${copy}, or mount them by pvc://claim/path`);
}

function elsewhere(storage: NonNullable<Storage>): string {
  const names = Object.keys(storage.buckets).filter((name) => name !== storeBucket(storage));
  return names.length === 0 ? "" : `; of models also a prefix in ${list(names)}`;
}

type Storage = RuleContext["sections"]["storage"];

/** A source's bucket in `storage.buckets`, other than the store. */
function bucketElsewhere(source: string | undefined, storage: Storage): string | undefined {
  const { bucket, prefix } = source === undefined ? { bucket: "", prefix: "" } : splitBucketUri(source);
  const isStore = storage !== undefined && bucketBackend(storage)?.bucket === bucket;
  return prefix !== "" && !isStore && Object.hasOwn(storage?.buckets ?? {}, bucket) ? bucket : undefined;
}

/** An unused external bucket, or one that could be the store's. */
export const bucketsElsewhereAreRead: Rule = function* ({ sections: { models, storage } }) {
  const read = namedBuckets(models ?? {}, storage);
  const known = [...Object.keys(storage?.buckets ?? {}), ...(storage === undefined ? [] : [storeBucket(storage)])];
  const isMisspelt = [...read].some((bucket) => !known.includes(bucket));
  for (const bucket of Object.keys(storage?.buckets ?? {})) {
    const path = ["storage", "buckets", bucket];
    if (bucket === storage?.bucket && storage.backend === "minio") {
      yield {
        path,
        value: bucket,
        allowed: "another name than storage.bucket: s3:// with it would name two buckets",
        fix: "write another storage.bucket",
      };
    } else if (models !== undefined && !read.has(bucket) && !isMisspelt) {
      yield {
        path,
        value: bucket,
        allowed: `a bucket that a model names, as source: s3://${bucket}/<prefix>, or storage.backend as bucket`,
        fix: `remove it, or name it in a model or in storage.backend (${OWN_WEIGHTS_PAGE})`,
        causes: [["storage"], ["models"]],
      };
    }
  }
};

/** Of sources, right or wrong, and of the store. */
function namedBuckets(models: Readonly<Record<string, ModelConfig>>, storage: Storage): Set<string> {
  const sources = Object.values(models).flatMap(({ source, canary, adapters = {} }) => [
    source,
    canary?.source,
    ...Object.values(adapters).map((adapter) => adapter.source),
  ]);
  const buckets = sources.flatMap((source) => (source?.startsWith("s3://") ? [splitBucketUri(source).bucket] : []));
  const store = storage && bucketBackend(storage)?.bucket;
  return new Set([...buckets, ...(store === undefined ? [] : [store])]);
}

/** A registry that no model takes weights from. */
export const registriesAreRead: Rule = function* ({ sections: { models, storage } }) {
  const read = new Set(Object.values(models ?? {}).map(sourceRegistry));
  for (const host of Object.keys(storage?.registries ?? {})) {
    if (models !== undefined && !read.has(host)) {
      yield {
        path: ["storage", "registries", host],
        value: host,
        allowed: `a registry that a model names, as source: oci://${host}/<repository>:<tag>`,
        fix: `remove it, or name it in a model (${OWN_WEIGHTS_PAGE}); of containers' images images.mirror and registryCredentials say it`,
        causes: [["storage"], ["models"]],
      };
    }
  }
};

const PLATFORMS: readonly string[] = Object.values(OWN_FOLDERS);

/** What has a prefix of its own in the store. */
interface Occupant {
  /** Its configuration path. */
  readonly path: Path;
  readonly prefix: string;
  readonly fix: (outer: Occupant) => string;
}

/** A model's keys and sync cover everything below its prefix: prefixes must not nest. */
export const storePrefixesDoNotNest: Rule = function* ({ sections: { models = {}, storage } }) {
  if (!storage) {
    return;
  }
  const occupants = Object.entries(models).flatMap(([name, model]) => occupantsOf(name, model, storage));
  const owners = new Map(occupants.map((occupant) => [occupant.prefix, occupant]));
  for (const { path, prefix, fix } of occupants) {
    const [folder = ""] = prefix.split("/");
    if (PLATFORMS.includes(folder)) {
      yield {
        path,
        value: `${prefix}/ in the model store`,
        allowed: `a place that is not below ${folder}/, where the platform keeps adapters and backups: engines would hold keys to them`,
        fix: `copy the files to s3://${storeBucket(storage)}/${path[1]} and name that`,
      };
      continue;
    }
    const outer = above(prefix).flatMap((candidate) => owners.get(candidate) ?? [])[0];
    if (outer !== undefined) {
      const owner = outer.path.slice(0, 2).join(".");
      yield {
        path,
        value: `${prefix}/ in the model store`,
        allowed: `a place that is not below ${outer.prefix}/, where ${owner} lies with keys to all of it`,
        fix: fix(outer),
      };
    }
  }
};

function occupantsOf(name: string, model: ModelConfig, storage: NonNullable<Storage>): Occupant[] {
  const bucket = storeBucket(storage);
  const isCopied = bucketElsewhere(model.source, storage) !== undefined;
  const prefix = isCopied ? hubPrefix(name, model.domain) : storePrefix(name, model, storage);
  const fromBucket = model.source?.startsWith("s3://") && !isCopied;
  const adapters = Object.entries(model.adapters ?? {}).flatMap(([adapter, { source }]) => {
    const at = source.startsWith("s3://") ? bucketPrefix(source, bucket) : undefined;
    const fix = () => `copy the adapter to s3://${bucket}/${name}-${adapter} and name that`;
    return at === undefined ? [] : [{ path: ["models", name, "adapters", adapter], prefix: at, fix }];
  });
  if (prefix === undefined) {
    return adapters;
  }
  const fix = ({ path }: Occupant) =>
    fromBucket
      ? `copy the model to s3://${bucket}/${name} and name that`
      : `rename ${path.slice(0, 2).join(".")}, or give it a domain too`;
  return [{ path: ["models", name, ...(fromBucket ? ["source"] : [])], prefix, fix }, ...adapters];
}

/** In the form of `keyPrefix`; `undefined` outside the store. */
function storePrefix(name: string, model: ModelConfig, storage: NonNullable<Storage>): string | undefined {
  if (!readsStore(model, storage)) {
    return undefined;
  }
  const source = model.source === undefined ? undefined : parseSource(model.source);
  return source?.kind === "bucket" ? bucketPrefix(source.uri, storeBucket(storage)) : storeFolder(name, model, source);
}

/** `undefined` for other buckets, or without a prefix. */
function bucketPrefix(source: string, bucket: string): string | undefined {
  const start = `s3://${bucket}/`;
  return (source.startsWith(start) && source.slice(start.length).replace(/\/+$/, "")) || undefined;
}

/** `a` and `a/b` of `a/b/c`. */
function above(prefix: string): string[] {
  const parts = prefix.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}
