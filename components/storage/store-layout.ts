/** Where things are in the model store, and who may touch them. Pure. */

import { isImageVolume, SOURCES } from "../../engines/sources";
import { selectorLabels } from "../../names/labels";
import { MODEL_STORE_NAMESPACE, NODE_CACHE_NAMESPACE } from "../../names/namespaces";
import { NODE_CACHE } from "../../names/node-cache";
import { serviceHost } from "../../names/service-host";
import { hubPrefix, OWN_FOLDERS } from "../../planner/storage";
import type { Adapter, ModelPlan, ModelSource } from "../../planner/types";
import type { PodSelection } from "../core/connections";

/** Name of the store's Service and controller. */
export const MODEL_STORE_SERVICE = "minio";

/** Pods of the store. */
export const modelStorePods: PodSelection & { readonly port: number } = {
  namespace: MODEL_STORE_NAMESPACE,
  podLabels: selectorLabels("minio", MODEL_STORE_SERVICE),
  port: 9000,
};

/** Host and port under which everything in the cluster reaches the store; its certificate is for this name. */
export const MODEL_STORE_HOST = serviceHost(MODEL_STORE_SERVICE, MODEL_STORE_NAMESPACE);

/**
 * Roles in the store. Each belongs to one user, whose name at the server is random; the role names its policy, and its
 * files in the provisioning Job, whose script (scripts/provision.sh) knows users of the platform by these names.
 */
export const WRITER = "sync-writer";

/** Role, and name, of what gives the store's metrics to Prometheus. */
export const METRICS = "store-metrics";

/** Pods with the store's metrics, at `/metrics`. */
export const storeMetricsPods: PodSelection & { readonly port: number } = {
  namespace: MODEL_STORE_NAMESPACE,
  podLabels: selectorLabels(METRICS, METRICS),
  port: 9101,
};

/** Role, and name, of what keeps weights on nodes. */
export const NODE_CACHE_READER = NODE_CACHE;

export const nodeCachePods: PodSelection = {
  namespace: NODE_CACHE_NAMESPACE,
  podLabels: selectorLabels(NODE_CACHE, NODE_CACHE),
};

/** Role of a model's engine. */
export function readerOf(model: string): string {
  return `reader-${model}`;
}

/** Role of what keeps copies of its own data in the store. */
export function keeperOf(folder: string): string {
  return `backup-${folder}`;
}

/** Key prefix of such copies. */
export function copiesPrefix(folder: string): string {
  return `${OWN_FOLDERS.copies}/${folder}`;
}

/** Whether a sync Job copies a model, or an adapter, into the store; what is in its bucket already, the user put there. */
export function isSynchronized({ source }: { readonly source: ModelSource }): boolean {
  return (
    source.kind === "huggingface" ||
    (source.kind === "artifact" && !isImageVolume(source)) ||
    (source.kind === "bucket" && source.copied === true)
  );
}

/** Adapters of a model that its sync Job copies into the store. */
export function synchronizedAdapters({ adapters }: ModelPlan): readonly Adapter[] {
  return adapters?.list.filter(isSynchronized) ?? [];
}

/** Whether a model has a sync Job, for itself or for adapters. */
export function hasSyncJob(model: ModelPlan): boolean {
  return isSynchronized(model) || synchronizedAdapters(model).length > 0;
}

/**
 * Key prefix of a model, without slashes at its ends: `<domain>/<name>` or that of its revision, or what the bucket URI of
 * its source says.
 * @throws Error when the source is another bucket than the store's, or no bucket at all.
 */
export function keyPrefix(model: ModelPlan, bucket: string): string {
  const { source } = model;
  switch (source.kind) {
    case "huggingface":
    case "artifact":
      return model.storeFolder ?? hubPrefix(model.name, model.domain);
    case "bucket":
      if (source.copied) {
        return model.storeFolder ?? hubPrefix(model.name, model.domain);
      }
      return bucketPrefix(source.uri, bucket, { path: `models.${model.name}.source`, folder: model.name });
    default:
      throw new Error(
        `models.${model.name}.source: ${SOURCES[source.kind].label} is not behind the model store; ` +
          `${model.engine} needs hf://org/name or s3://${bucket}/prefix`,
      );
  }
}

/**
 * Key prefix of an adapter. Never below its model's: an engine that streams loads every weight file that lies there.
 * @throws Error when the source is another bucket than the store's, or no bucket at all.
 */
export function adapterPrefix(model: string, { name, source }: Adapter, bucket: string): string {
  return source.kind === "huggingface"
    ? `${OWN_FOLDERS.adapters}/${model}/${name}`
    : bucketPrefix(source.uri, bucket, { path: adapterPath(model, name), folder: `${model}-${name}` });
}

/** Where an adapter is configured. */
export function adapterPath(model: string, adapter: string): string {
  return `models.${model}.adapters.${adapter}`;
}

/** All that a model's engine reads in the store. */
export function readPrefixes(model: ModelPlan, bucket: string): readonly string[] {
  const adapters = model.adapters?.list ?? [];
  return [keyPrefix(model, bucket), ...adapters.map((adapter) => adapterPrefix(model.name, adapter, bucket))];
}

/** @param at where it is configured, and a folder that would do. */
function bucketPrefix(uri: string, bucket: string, at: { readonly path: string; readonly folder: string }): string {
  const [, named, prefix = ""] = /^s3:\/\/([^/]+)\/(.*?)\/*$/.exec(uri) ?? [];
  if (named !== bucket || prefix === "") {
    throw new Error(
      `${at.path}: "${uri}" is not below s3://${bucket}/, the environment's model store: ` +
        `copy the model to s3://${bucket}/${at.folder} and name that`,
    );
  }
  return prefix;
}

interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Action: readonly string[];
  /** Administration concerns no object. */
  readonly Resource?: readonly string[];
  readonly Condition?: { readonly StringLike: { readonly "s3:prefix": readonly string[] } };
}

/** An access policy in the language of S3. */
export interface AccessPolicy {
  readonly Version: "2012-10-17";
  readonly Statement: readonly Statement[];
}

/** Read and list some prefixes, nothing else. */
export function readerPolicy(bucket: string, prefixes: readonly string[]): AccessPolicy {
  const arn = `arn:aws:s3:::${bucket}`;
  return policy([
    { Effect: "Allow", Action: ["s3:GetObject"], Resource: prefixes.map((prefix) => `${arn}/${prefix}/*`) },
    {
      Effect: "Allow",
      Action: ["s3:ListBucket"],
      Resource: [arn],
      // With the slash: "llama" would show what lies in "llama-8b" too.
      Condition: { StringLike: { "s3:prefix": prefixes.flatMap((prefix) => [`${prefix}/`, `${prefix}/*`]) } },
    },
    { Effect: "Allow", Action: ["s3:GetBucketLocation"], Resource: [arn] },
  ]);
}

/** Read, write and delete objects of the bucket; not the bucket itself, nor who may use it. */
export function writerPolicy(bucket: string): AccessPolicy {
  const arn = `arn:aws:s3:::${bucket}`;
  return policy([
    {
      Effect: "Allow",
      Action: [
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "s3:AbortMultipartUpload",
        "s3:ListMultipartUploadParts",
      ],
      Resource: [`${arn}/*`],
    },
    {
      Effect: "Allow",
      Action: ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"],
      Resource: [arn],
    },
  ]);
}

/** Read, write and delete below one prefix. */
export function keeperPolicy(bucket: string, prefix: string): AccessPolicy {
  const arn = `arn:aws:s3:::${bucket}`;
  return policy([
    {
      Effect: "Allow",
      Action: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
      Resource: [`${arn}/${prefix}/*`],
    },
    {
      Effect: "Allow",
      Action: ["s3:ListBucket"],
      Resource: [arn],
      Condition: { StringLike: { "s3:prefix": [`${prefix}/`, `${prefix}/*`] } },
    },
    { Effect: "Allow", Action: ["s3:GetBucketLocation"], Resource: [arn] },
  ]);
}

/** Read metrics, nothing else. */
export function metricsPolicy(): AccessPolicy {
  return {
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: ["admin:Prometheus"] },
      { Effect: "Deny", Action: ["admin:CreateUser", "admin:CreateServiceAccount", "admin:UpdateServiceAccount"] },
    ],
  };
}

/** Users may change their own keys and make service accounts of their own, which outlive them, unless that is denied. */
const NO_ADMINISTRATION: Statement = { Effect: "Deny", Action: ["admin:*"] };

function policy(statements: readonly Statement[]): AccessPolicy {
  return { Version: "2012-10-17", Statement: [...statements, NO_ADMINISTRATION] };
}
