import type { KubernetesObject } from "../kubernetes/object";
import type { ApiClient } from "./cluster/api-client";
import type { PodFact } from "./report/schema";
import type { Workload } from "./workloads";

/** A pod as the API server has it, less what no question here needs. */
export interface PodState extends PodFact {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** It ended and will not start again. */
  readonly finished: boolean;
  /** Its deletion was asked for. */
  readonly terminating: boolean;
  /** The scheduler found no node for it. */
  readonly unschedulable: boolean;
  /** A DaemonSet made it: it belongs to its node. */
  readonly ofDaemonSet: boolean;
}

export interface ClusterState {
  readonly pods: readonly PodState[];
  /** `<namespace>/<name>` of Jobs that have ended well. */
  readonly completedJobs: ReadonlySet<string>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ApiPod extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

interface ApiJob extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Reads all pods, and which Jobs have ended. */
export async function readState(client: ApiClient): Promise<ClusterState> {
  const [pods, jobs] = await Promise.all([client.list("v1", "Pod"), client.list("batch/v1", "Job")]);
  return {
    pods: (pods as ApiPod[]).map(podState),
    completedJobs: new Set(
      (jobs as ApiJob[])
        .filter(({ status }) => condition(status?.conditions, "Complete")?.status === "True")
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ),
  };
}

/** A pod of the API as a state. */
export function podState({ metadata, spec, status }: ApiPod): PodState {
  const ready = condition(status.conditions, "Ready")?.status === "True";
  const scheduled = condition(status.conditions, "PodScheduled");
  const finished = status.phase === "Succeeded" || status.phase === "Failed";
  const unschedulable = spec.nodeName === undefined && scheduled?.status === "False";
  return {
    namespace: metadata.namespace ?? "default",
    name: metadata.name,
    uid: metadata.uid ?? "",
    labels: metadata.labels ?? {},
    node: spec.nodeName ?? null,
    ready,
    finished,
    terminating: metadata.deletionTimestamp !== undefined,
    unschedulable,
    ofDaemonSet: metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet") ?? false,
    waitsFor: ready || finished ? null : waitsFor(scheduled, status.phase, spec.nodeName),
  };
}

function waitsFor(scheduled: Condition | undefined, phase = "Pending", node = ""): string {
  if (scheduled?.status === "False") {
    return scheduled.message ?? scheduled.reason ?? "a node";
  }
  return node === "" ? "the scheduler's decision" : `its containers on ${node} (${phase})`;
}

function condition(conditions: readonly Condition[] = [], type: string): Condition | undefined {
  return conditions.find((candidate) => candidate.type === type);
}

/** The pods of a workload that are meant to stay: neither leaving nor ended. */
export function podsOfWorkload({ namespace, selector }: Workload, { pods }: ClusterState): PodState[] {
  return pods.filter(
    (pod) =>
      pod.namespace === namespace &&
      !pod.terminating &&
      !pod.finished &&
      Object.entries(selector).every(([key, value]) => pod.labels[key] === value),
  );
}

/** What a report says of a pod. */
export function podFact({ namespace, name, node, ready, waitsFor: reason }: PodState): PodFact {
  return { namespace, name, node, ready, waitsFor: reason };
}

/** The object by which the API knows a pod. */
export function podObject({ namespace, name, uid }: PodState): KubernetesObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace, name, uid } };
}
