import { engineOf } from "../../../engines";
import { SOURCES, splitSource } from "../../../engines/sources";
import { hubPrefix } from "../../../planner/storage";
import type { Rule } from "../core/rule";
import type { ModelConfig } from "../schema";

/** Engines read weights from the environment's own store, with keys that open nothing else. */
export const bucketSourcesAreInTheStore: Rule = function* ({ sections: { models = {}, storage } }) {
  for (const [name, { source }] of Object.entries(models)) {
    if (storage && source?.startsWith("s3://") && !bucketPrefix(source, storage.bucket)) {
      yield {
        path: ["models", name, "source"],
        value: source,
        allowed: `a prefix in the environment's model store, s3://${storage.bucket}/…`,
        fix: `copy the model to s3://${storage.bucket}/${name} and name that`,
      };
    }
  }
};

/** A model's keys open all that lies below its prefix, and its sync decides what does: no other model may lie there. */
export const storePrefixesDoNotNest: Rule = function* ({ sections: { models = {}, storage } }) {
  if (!storage) {
    return;
  }
  const prefixes = Object.entries(models).flatMap(([name, model]) => {
    const prefix = storePrefix(name, model, storage.bucket);
    return prefix === undefined ? [] : [{ name, model, prefix }];
  });
  const owners = new Map(prefixes.map(({ prefix, name }) => [prefix, name]));
  for (const { name, model, prefix } of prefixes) {
    const outer = above(prefix).find((candidate) => owners.has(candidate));
    if (outer === undefined) {
      continue;
    }
    const fromBucket = model.source?.startsWith("s3://");
    yield {
      path: ["models", name, ...(fromBucket ? ["source"] : [])],
      value: `${prefix}/ in the model store`,
      allowed: `a place that is not below ${outer}/, where models.${owners.get(outer)} lies with keys to all of it`,
      fix: fromBucket
        ? `copy the model to s3://${storage.bucket}/${name} and name that`
        : `rename models.${owners.get(outer)}, or give it a domain too`,
    };
  }
};

/** Where a model lies in the store, as `keyPrefix` puts it; `undefined` for one that lies elsewhere. */
function storePrefix(name: string, { engine, source, domain }: ModelConfig, bucket: string): string | undefined {
  const kind = source === undefined ? undefined : splitSource(source)?.kind;
  if (engineOf(engine).weightsFrom !== "store" || (kind !== undefined && !SOURCES[kind].throughStore)) {
    return undefined;
  }
  return source?.startsWith("s3://") ? bucketPrefix(source, bucket) : hubPrefix(name, domain);
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
