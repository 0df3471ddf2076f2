import type { KubernetesObject } from "../../kubernetes/object";
import { podTemplates } from "../../kubernetes/pod-templates";
import { isObjectType } from "../../kubernetes/resource-types";
import type { RecordedResource } from "../../offline/run";

/** Kubernetes objects of a recording in registration order, without Helm releases. */
export function recordedObjects(resources: readonly RecordedResource[]): KubernetesObject[] {
  return resources.filter(({ type }) => isObjectType(type)).map(({ inputs }) => inputs as unknown as KubernetesObject);
}

/** Kinds of these objects as `<Kind>.<group>`. */
export function kindsOf(objects: readonly KubernetesObject[]): Set<string> {
  return new Set(objects.map(({ apiVersion, kind }) => `${kind}.${apiVersion.split("/")[0]}`));
}

const OF_EVERY_CLUSTER = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Namespaces that these objects use but do not create, such as those of cloud add-ons. */
export function foreignNamespacesOf(objects: readonly KubernetesObject[]): string[] {
  const made = objects.flatMap(({ kind, metadata }) => (kind === "Namespace" ? [metadata.name] : []));
  const used = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [...used].filter((name) => !made.includes(name) && !OF_EVERY_CLUSTER.includes(name));
}

/** Storage classes named by claims. The class "" refers to an existing volume. */
export function storageClassesOf(objects: readonly KubernetesObject[]): Set<string> {
  const claims = objects.filter(({ kind }) => kind === "PersistentVolumeClaim") as unknown as readonly Claim[];
  return new Set([...claims, ...objects.flatMap(claimTemplates)].flatMap(({ spec }) => spec.storageClassName || []));
}

export function madeStorageClassesOf(objects: readonly KubernetesObject[]): Set<string> {
  return new Set(objects.filter(({ kind }) => kind === "StorageClass").map(({ metadata }) => metadata.name));
}

interface Claim {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly storageClassName?: string };
}

function claimTemplates(object: KubernetesObject): readonly Claim[] {
  const { volumeClaimTemplates = [] } = (object.spec ?? {}) as {
    readonly volumeClaimTemplates?: readonly Claim[];
  };
  return volumeClaimTemplates;
}

const POD_MAKERS = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "LeaderWorkerSet", "RayService"];

export function makesPods({ kind }: KubernetesObject): boolean {
  return POD_MAKERS.includes(kind);
}

/** Volumes from a StatefulSet's claim templates. */
function claimedVolumes(object: KubernetesObject): object[] {
  return claimTemplates(object).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${object.metadata.name}-0` },
  }));
}

/**
 * Distinguishes an object's templates: `leadertemplate`; the parent key if only called a template.
 */
function templateName(path: readonly string[]): readonly string[] {
  const keys = path.filter((key) => key !== "spec" && !/^\d+$/.test(key));
  return keys.slice(keys.at(-1) === "template" ? -2 : -1);
}

/** One pod per template of an object, as its controller would create it. */
export function podsOf(object: KubernetesObject): KubernetesObject[] {
  if (!makesPods(object)) {
    return [];
  }
  return podTemplates(object).map(({ path, template: { metadata, spec } }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(metadata as Partial<KubernetesObject["metadata"]> | undefined),
      name: [object.metadata.name, ...templateName(path)].join("-").toLowerCase(),
      namespace: object.metadata.namespace,
    },
    spec: { ...spec, volumes: [...((spec.volumes ?? []) as readonly object[]), ...claimedVolumes(object)] },
  }));
}

export function runtimeClassesOf(objects: readonly KubernetesObject[]): Set<string> {
  return new Set(
    objects.flatMap(podsOf).flatMap(({ spec }) => (spec as { runtimeClassName?: string }).runtimeClassName ?? []),
  );
}
