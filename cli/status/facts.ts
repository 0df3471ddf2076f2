/** Fields of pods, events and workloads that status reads. */
import { z } from "zod";

const text = z.string();

const state = z.object({
  waiting: z.object({ reason: text.optional(), message: text.optional() }).optional(),
  running: z.object({ startedAt: text.nullish() }).optional(),
  terminated: z
    .object({
      exitCode: z.number(),
      reason: text.optional(),
      message: text.optional(),
      startedAt: text.nullish(),
      finishedAt: text.nullish(),
    })
    .optional(),
});

const container = z.object({
  name: text,
  ready: z.boolean().default(false),
  restartCount: z.number().default(0),
  image: text.default(""),
  state: state.default({}),
  lastState: state.default({}),
});
export type ContainerFact = z.infer<typeof container>;

export const podFact = z.object({
  metadata: z.object({
    name: text,
    namespace: text,
    labels: z.record(text, text).default({}),
    creationTimestamp: text.nullish(),
    deletionTimestamp: text.nullish(),
    ownerReferences: z
      .array(
        z.object({
          uid: text,
          kind: text.default(""),
          name: text.default(""),
          controller: z.boolean().default(false),
        }),
      )
      .default([]),
  }),
  status: z
    .object({
      phase: text.default("Unknown"),
      reason: text.optional(),
      message: text.optional(),
      conditions: z
        .array(z.object({ type: text, status: text, reason: text.optional(), message: text.optional() }))
        .default([]),
      initContainerStatuses: z.array(container).default([]),
      containerStatuses: z.array(container).default([]),
    })
    .prefault({}),
});
export type PodFact = z.infer<typeof podFact>;

export const eventFact = z.object({
  type: text.nullish(),
  reason: text.nullish(),
  message: text.nullish(),
  lastTimestamp: text.nullish(),
  eventTime: text.nullish(),
  metadata: z.object({ namespace: text, creationTimestamp: text.nullish() }),
  involvedObject: z.object({ kind: text.default(""), name: text.default("") }),
});
export type EventFact = z.infer<typeof eventFact>;

/** A workload in the cluster; Ray services have replicas elsewhere. */
export const workloadFact = z.object({ spec: z.object({ replicas: z.number().int().min(0).optional() }).default({}) });

/** KEDA's state of a model. */
export const scaledObjectFact = z.object({
  metadata: z.object({ namespace: text }),
  status: z
    .object({
      conditions: z
        .array(z.object({ type: text, status: text, reason: text.optional(), message: text.optional() }))
        .default([]),
    })
    .prefault({}),
});
export type ScaledObjectFact = z.infer<typeof scaledObjectFact>;

/** Argo CD's state of an Application. */
export const applicationFact = z.object({
  status: z
    .object({
      sync: z.object({ status: text.default("Unknown"), revision: text.optional() }).prefault({}),
      health: z.object({ status: text.default("Unknown") }).prefault({}),
      conditions: z.array(z.object({ type: text, message: text.default("") })).default([]),
      operationState: z.object({ phase: text.default(""), message: text.default("") }).optional(),
    })
    .prefault({}),
});
export type ApplicationFact = z.infer<typeof applicationFact>;

export interface StatusFacts {
  readonly pods: readonly PodFact[];
  readonly events: readonly EventFact[];
  /** Desired replicas by `namespace/name`; absent: missing, or a kind without. */
  readonly replicas: ReadonlyMap<string, number | undefined>;
  /** By namespace; absent: missing or forbidden. */
  readonly scaledObjects: ReadonlyMap<string, ScaledObjectFact>;
}

/** A deleted pod keeps its conditions until it is gone, including `Ready`. */
export function isLeaving({ metadata }: PodFact): boolean {
  return Boolean(metadata.deletionTimestamp);
}

/**
 * Whether a pod receives new requests, as in EndpointSlices: terminating pods do not (endpoints of
 * Kubernetes 1.36).
 */
export function isReady(pod: PodFact): boolean {
  return !isLeaving(pod) && conditionOf(pod, "Ready")?.status === "True";
}

export function conditionOf({ status }: PodFact, type: string) {
  return status.conditions.find((condition) => condition.type === type);
}

/** A Job's successful pod. */
export function hasCompleted({ status }: PodFact): boolean {
  return status.phase === "Succeeded";
}

/** Controllers' definition (IsPodActive of Kubernetes 1.36). */
export function isActive(pod: PodFact): boolean {
  return !isLeaving(pod) && !hasCompleted(pod) && pod.status.phase !== "Failed";
}

/** A failed pod with a successor stays in the list, for its log, until there are thousands. */
export function isReplaced(pod: PodFact, all: readonly PodFact[]): boolean {
  const owner = ownerOf(pod);
  if (pod.status.phase !== "Failed" || owner === undefined) {
    return false;
  }
  const deployment = deploymentOf(pod);
  const run = cronRunOf(pod);
  return all.some((other) => {
    const isOfOwner =
      ownerOf(other)?.uid === owner.uid || (deployment !== undefined && deploymentOf(other) === deployment);
    return (
      (isOfOwner && (isReady(other) || hasCompleted(other))) || (hasCompleted(other) && isLater(cronRunOf(other), run))
    );
  });
}

function ownerOf({ metadata }: PodFact) {
  return metadata.ownerReferences.find(({ controller }) => controller);
}

/** By the hash at the end of its ReplicaSet's name (Deployment controller of Kubernetes 1.36). */
function deploymentOf(pod: PodFact): string | undefined {
  const owner = ownerOf(pod);
  const suffix = `-${pod.metadata.labels["pod-template-hash"]}`;
  return owner?.kind === "ReplicaSet" && owner.name.endsWith(suffix)
    ? `${pod.metadata.namespace}/${owner.name.slice(0, -suffix.length)}`
    : undefined;
}

/** `at` in minutes since the epoch. */
interface CronRun {
  readonly cronJob: string;
  readonly at: number;
}

/** Jobs are named after their CronJob and minute (`getJobName` of Kubernetes 1.36). */
function cronRunOf(pod: PodFact): CronRun | undefined {
  const owner = ownerOf(pod);
  const [, name, minutes] = (owner?.kind === "Job" && /^(.+)-(\d{8,})$/.exec(owner.name)) || [];
  return name === undefined ? undefined : { cronJob: `${pod.metadata.namespace}/${name}`, at: Number(minutes) };
}

function isLater(run: CronRun | undefined, than: CronRun | undefined): boolean {
  return run !== undefined && than !== undefined && run.cronJob === than.cronJob && run.at > than.at;
}
