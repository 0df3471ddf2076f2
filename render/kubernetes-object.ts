import type { KubernetesObject } from "../kubernetes/object";
import type { RecordedResource } from "../offline/run";
import { PendingText } from "./pending-values";

export const SECRET = "kubernetes:core/v1:Secret";

/** Whether a resource is something in the cluster: an object, or a chart's release. */
export function isInCluster({ type, custom }: RecordedResource): boolean {
  return custom && type.startsWith("kubernetes:");
}

/**
 * The object of a resource of the Kubernetes provider. What only Pulumi reads is left out, and the
 * label that names Pulumi as manager is corrected.
 *
 * @param inputs its inputs; they may hold pending texts.
 * @throws Error when the inputs are no Kubernetes object.
 */
export function toObject(resource: RecordedResource, inputs: Readonly<Record<string, unknown>>): KubernetesObject {
  const { apiVersion, kind, metadata, ...rest } = inputs;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isRecord(metadata) || !isName(metadata.name)) {
    throw new Error(`${resource.urn} has no apiVersion, kind and metadata.name that are known before deployment`);
  }
  const annotations = Object.entries(stringsOf(metadata.annotations)).filter(([key]) => !key.startsWith("pulumi.com/"));
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...(isName(metadata.namespace) && { namespace: metadata.namespace }),
      ...(isRecord(metadata.labels) && { labels: relabelled(stringsOf(metadata.labels)) }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    ...(withoutEmptyAnnotations(rest) as Record<string, unknown>),
  };
}

const MANAGED_BY = "app.kubernetes.io/managed-by";

/**
 * Who manages the object. Labels inside of it stay, those of pod templates and volume claims above all: another value there rolls every pod
 * when a platform moves between Pulumi and GitOps, and claims of a StatefulSet cannot change.
 */
function relabelled(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return MANAGED_BY in labels ? { ...labels, [MANAGED_BY]: "gitops" } : labels;
}

function withoutEmptyAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutEmptyAnnotations);
  }
  if (!isRecord(value)) {
    return value;
  }
  const entries = Object.entries(value).filter(([key, item]) => key !== "annotations" || !isEmpty(item));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutEmptyAnnotations(item)]));
}

/** Labels of objects that exist only in what is rendered. */
export function renderedLabels(name: string, instance: string): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/part-of": "inference-stacks",
    [MANAGED_BY]: "gitops",
  };
}

/** The object with more annotations. */
export function annotated(object: KubernetesObject, extra: Readonly<Record<string, string>>): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...extra } } };
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof PendingText);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  return isRecord(value) ? (value as Readonly<Record<string, string>>) : {};
}
