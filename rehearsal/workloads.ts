import type { KubernetesObject } from "../kubernetes/object";
import { type Labels, MODEL_LABEL, selectorLabels } from "../names/labels";
import type { PodState } from "./cluster-state";
import type { WorkloadFact } from "./report/schema";

/** Observed workload and its pod selector. */
export interface Workload {
  readonly kind: WorkloadFact["kind"];
  readonly namespace: string;
  readonly name: string;
  readonly model: string | null;
  /** Groups of a LeaderWorkerSet, workers of a RayService, completions of a Job. */
  readonly replicas: number;
  /** Pods per replica. */
  readonly size: number;
  /** Additional pods required by all replicas: heads of Ray clusters. @default none */
  readonly heads?: number;
  /** Pod labels within its namespace. */
  readonly selector: Readonly<Record<string, string>>;
}

/** Pod labels set by the LeaderWorkerSet controller (leaderworkerset.x-k8s.io/v1). */
export const GROUP_LABELS = {
  set: "leaderworkerset.sigs.k8s.io/name",
  group: "leaderworkerset.sigs.k8s.io/group-index",
  worker: "leaderworkerset.sigs.k8s.io/worker-index",
} as const;

const INSTANCE_LABELS = Object.keys(selectorLabels("", ""));

interface Spec {
  readonly replicas?: number;
  readonly completions?: number;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly leaderWorkerTemplate?: { readonly size?: number };
  readonly rayClusterConfig?: {
    readonly headGroupSpec: { readonly template: { readonly metadata: { readonly labels: Labels } } };
    readonly workerGroupSpecs: readonly { readonly replicas: number }[];
  };
}

type Shape = Pick<Workload, "replicas" | "size" | "heads" | "selector">;

/** Expected pods by kind; numbers default to 1, as in Kubernetes. */
const SHAPES: Readonly<Record<WorkloadFact["kind"], (spec: Spec, name: string) => Shape>> = {
  Deployment: replicated,
  StatefulSet: replicated,
  LeaderWorkerSet: ({ replicas = 1, leaderWorkerTemplate }, name) => ({
    replicas,
    size: leaderWorkerTemplate?.size ?? 1,
    selector: { [GROUP_LABELS.set]: name },
  }),
  RayService: ({ rayClusterConfig }) => ({
    replicas: (rayClusterConfig?.workerGroupSpecs ?? []).reduce((sum, { replicas }) => sum + replicas, 0),
    size: 1,
    heads: 1,
    selector: ofInstance(rayClusterConfig?.headGroupSpec.template.metadata.labels),
  }),
  Job: ({ completions = 1 }, name) => ({
    replicas: completions,
    size: 1,
    selector: { "batch.kubernetes.io/job-name": name },
  }),
};

function replicated({ replicas = 1, selector }: Spec): Shape {
  return { replicas, size: 1, selector: selector?.matchLabels ?? {} };
}

/** KubeRay's label that distinguishes heads from workers. */
const RAY_NODE_LABEL = "ray.io/node-type";

export function isHead({ labels }: Pick<PodState, "labels">): boolean {
  return labels[RAY_NODE_LABEL] === "head";
}

export function podsWanted({ replicas, size, heads = 0 }: Pick<Workload, "replicas" | "size" | "heads">): number {
  return replicas * size + heads;
}

/** Labels shared by all pods of an instance. */
function ofInstance(labels: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => INSTANCE_LABELS.includes(key)));
}

/** Workloads among these objects, in order. Excludes CronJobs, which are not due. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (!isWorkloadKind(kind)) {
      return [];
    }
    return {
      kind,
      namespace: metadata.namespace ?? "default",
      name: metadata.name,
      model: metadata.labels?.[MODEL_LABEL] ?? null,
      ...SHAPES[kind]((spec ?? {}) as Spec, metadata.name),
    };
  });
}

const COLLECTIONS: Readonly<Record<WorkloadFact["kind"], readonly [group: string, resources: string]>> = {
  Deployment: ["apps/v1", "deployments"],
  StatefulSet: ["apps/v1", "statefulsets"],
  Job: ["batch/v1", "jobs"],
  LeaderWorkerSet: ["leaderworkerset.x-k8s.io/v1", "leaderworkersets"],
  RayService: ["ray.io/v1", "rayservices"],
};

/** API path. */
export function workloadPath({ kind, namespace, name }: Pick<Workload, "kind" | "namespace" | "name">): string {
  const [group, resources] = COLLECTIONS[kind];
  return `/apis/${group}/namespaces/${encodeURIComponent(namespace)}/${resources}/${encodeURIComponent(name)}`;
}

/** Whether its pods run indefinitely, unlike a Job's. */
export function isService({ kind }: Pick<Workload, "kind">): boolean {
  return kind !== "Job";
}

function isWorkloadKind(kind: string): kind is WorkloadFact["kind"] {
  return Object.hasOwn(SHAPES, kind);
}
