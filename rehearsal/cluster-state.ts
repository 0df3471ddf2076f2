import type { KubernetesObject } from "../kubernetes/object";
import type { ApiClient } from "./cluster/api-client";
import type { PodFact } from "./report/schema";
import type { Workload } from "./workloads";

/** Fields of a pod needed here. */
export interface PodState extends PodFact {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Ended without a restart. */
  readonly finished: boolean;
  /** Deletion requested. */
  readonly terminating: boolean;
  /** The scheduler found no node. */
  readonly unschedulable: boolean;
  /** Created by a DaemonSet, so bound to its node. */
  readonly ofDaemonSet: boolean;
}

export interface ClusterState {
  readonly pods: readonly PodState[];
  /** `<namespace>/<name>` of completed Jobs. */
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

/** A workload's pods that are neither terminating nor ended. */
export function podsOfWorkload({ namespace, selector }: Workload, { pods }: ClusterState): PodState[] {
  return pods.filter(
    (pod) =>
      pod.namespace === namespace &&
      !pod.terminating &&
      !pod.finished &&
      Object.entries(selector).every(([key, value]) => pod.labels[key] === value),
  );
}

export function podFact({ namespace, name, node, ready, waitsFor: reason }: PodState): PodFact {
  return { namespace, name, node, ready, waitsFor: reason };
}

export function podObject({ namespace, name, uid }: PodState): KubernetesObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace, name, uid } };
}
