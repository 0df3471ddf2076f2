import { engineOf } from "../../../engines";
import { parseSource, SOURCES } from "../../../engines/sources";
import type { Path } from "../core/problems";
import type { Rule } from "../core/rule";
import type { ModelConfig } from "../schema";
import { storeFolder } from "../store-folder";

/** Engines read weights from the environment's own store, with keys that open nothing else. */
export const bucketSourcesAreInTheStore: Rule = function* ({ sections: { models = {}, storage } }) {
  const sources = Object.entries(models).flatMap(([name, { source, adapters = {} }]) => [
    { path: ["models", name, "source"], source, folder: name },
    ...Object.entries(adapters).map(([adapter, { source: of }]) => ({
      path: ["models", name, "adapters", adapter],
      source: of,
      folder: `${name}-${adapter}`,
    })),
  ]);
  for (const { path, source, folder } of sources) {
    if (storage && source?.startsWith("s3://") && !bucketPrefix(source, storage.bucket)) {
      yield {
        path,
        value: source,
        allowed: `a prefix in the environment's model store, s3://${storage.bucket}/…`,
        fix: `copy the files to s3://${storage.bucket}/${folder} (docs/own-weights.md) and name that`,
      };
    }
  }
};

/** What has a prefix of its own in the store. */
interface Occupant {
  /** Where it is configured. */
  readonly path: Path;
  readonly prefix: string;
  readonly fix: (outer: Occupant) => string;
}

/** A model's keys open all that lies below its prefix, and its sync decides what does: nothing else may lie there. */
export const storePrefixesDoNotNest: Rule = function* ({ sections: { models = {}, storage } }) {
  if (!storage) {
    return;
  }
  const occupants = Object.entries(models).flatMap(([name, model]) => occupantsOf(name, model, storage.bucket));
  const owners = new Map(occupants.map((occupant) => [occupant.prefix, occupant]));
  for (const { path, prefix, fix } of occupants) {
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

function occupantsOf(name: string, model: ModelConfig, bucket: string): Occupant[] {
  const prefix = storePrefix(name, model, bucket);
  const fromBucket = model.source?.startsWith("s3://");
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

/** Where a model lies in the store, as `keyPrefix` puts it; `undefined` for one that lies elsewhere. */
function storePrefix(name: string, model: ModelConfig, bucket: string): string | undefined {
  const source = model.source === undefined ? undefined : parseSource(model.source);
  if (engineOf(model.engine).weightsFrom !== "store" || (source && !SOURCES[source.kind].throughStore)) {
    return undefined;
  }
  return source?.kind === "bucket" ? bucketPrefix(source.uri, bucket) : storeFolder(name, model, source);
}

/** `undefined` for another bucket, and for a bucket without a prefix. */
function bucketPrefix(source: string, bucket: string): string | undefined {
  const start = `s3://${bucket}/`;
  return (source.startsWith(start) && source.slice(start.length).replace(/\/+$/, "")) || undefined;
}

/** `a` and `a/b` of `a/b/c`. */
function above(prefix: string): string[] {
  const parts = prefix.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}
