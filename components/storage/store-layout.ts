/** Where things are in the model store, and who may touch them. Pure. */

import { SOURCES } from "../../engines/sources";
import { selectorLabels } from "../../names/labels";
import { MODEL_STORE_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { hubPrefix } from "../../planner/storage";
import type { ModelPlan } from "../../planner/types";
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

/** Role of a model's engine. */
export function readerOf(model: string): string {
  return `reader-${model}`;
}

/** Whether a sync Job copies the model into the store; what is in a bucket already, somebody else put there. */
export function isSynchronized(model: ModelPlan): boolean {
  return model.source.kind === "huggingface";
}

/**
 * Key prefix of a model, without slashes at its ends: `<domain>/<name>`, or what the bucket URI of its source says.
 * @throws Error when the source is another bucket than the store's, or no bucket at all.
 */
export function keyPrefix(model: ModelPlan, bucket: string): string {
  const { source } = model;
  switch (source.kind) {
    case "huggingface":
      return hubPrefix(model.name, model.domain);
    case "bucket": {
      const [, named, prefix = ""] = /^s3:\/\/([^/]+)\/(.*?)\/*$/.exec(source.uri) ?? [];
      if (named !== bucket || prefix === "") {
        throw new Error(
          `models.${model.name}.source: "${source.uri}" is not below s3://${bucket}/, the environment's model store: ` +
            `copy the model to s3://${bucket}/${model.name} and name that`,
        );
      }
      return prefix;
    }
    default:
      throw new Error(
        `models.${model.name}.source: ${SOURCES[source.kind].label} is not behind the model store; ` +
          `${model.engine} needs hf://org/name or s3://${bucket}/prefix`,
      );
  }
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

/** Read and list one prefix, nothing else. */
export function readerPolicy(bucket: string, prefix: string): AccessPolicy {
  const arn = `arn:aws:s3:::${bucket}`;
  return policy([
    { Effect: "Allow", Action: ["s3:GetObject"], Resource: [`${arn}/${prefix}/*`] },
    {
      Effect: "Allow",
      Action: ["s3:ListBucket"],
      Resource: [arn],
      // With the slash: "llama" would show what lies in "llama-8b" too.
      Condition: { StringLike: { "s3:prefix": [`${prefix}/`, `${prefix}/*`] } },
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
