import type { RecordedResource } from "../../offline/run";
import type { KubernetesObject } from "./kubernetes-object";

/** The Kubernetes objects of a recording, in the order of their registration. Helm releases are none. */
export function recordedObjects(resources: readonly RecordedResource[]): KubernetesObject[] {
  return resources
    .filter(({ type }) => type.startsWith("kubernetes:") && !type.startsWith("kubernetes:helm.sh/"))
    .map(({ inputs }) => inputs as unknown as KubernetesObject);
}

/** The kinds of these objects as custom resource definitions name them: `<Kind>.<group>`. */
export function kindsOf(objects: readonly KubernetesObject[]): Set<string> {
  return new Set(objects.map(({ apiVersion, kind }) => `${kind}.${apiVersion.split("/")[0]}`));
}

/** Storage classes that claims of these objects name. */
export function storageClassesOf(objects: readonly KubernetesObject[]): Set<string> {
  const claims = objects.filter(({ kind }) => kind === "PersistentVolumeClaim") as unknown as readonly Claim[];
  return new Set([...claims, ...objects.flatMap(claimTemplates)].flatMap(({ spec }) => spec.storageClassName ?? []));
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

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly volumes?: readonly object[]; readonly runtimeClassName?: string };
}

/** Where pod templates lie in the objects that have some. */
const TEMPLATES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Deployment: [["spec", "template"]],
  StatefulSet: [["spec", "template"]],
  DaemonSet: [["spec", "template"]],
  Job: [["spec", "template"]],
  CronJob: [["spec", "jobTemplate", "spec", "template"]],
  LeaderWorkerSet: [
    ["spec", "leaderWorkerTemplate", "leaderTemplate"],
    ["spec", "leaderWorkerTemplate", "workerTemplate"],
  ],
};

/** Whether a controller makes pods from objects of this kind. */
export function makesPods({ kind }: KubernetesObject): boolean {
  return kind in TEMPLATES;
}

/** Volumes of the claims that a StatefulSet makes for each of its pods. */
function claimedVolumes(object: KubernetesObject): object[] {
  return claimTemplates(object).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${object.metadata.name}-0` },
  }));
}

/** One pod per template of an object, as its controller would make it. */
export function podsOf(object: KubernetesObject): KubernetesObject[] {
  return (TEMPLATES[object.kind] ?? []).flatMap((path) => {
    const template = path.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      object,
    ) as PodTemplate | undefined;
    if (template === undefined) return [];
    return [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          ...template.metadata,
          name: [object.metadata.name, path.at(-1)?.toLowerCase()].join("-"),
          namespace: object.metadata.namespace,
        },
        spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claimedVolumes(object)] },
      },
    ];
  });
}

/** Runtime classes that pods of these objects name. */
export function runtimeClassesOf(objects: readonly KubernetesObject[]): Set<string> {
  return new Set(objects.flatMap(podsOf).flatMap(({ spec }) => (spec as PodTemplate["spec"]).runtimeClassName ?? []));
}
