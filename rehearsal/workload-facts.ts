import type { KubernetesObject } from "../kubernetes/object";
import type { ApiClient } from "./cluster/api-client";
import { type ClusterState, podFact, podsOfWorkload } from "./cluster-state";
import { readyReplicas } from "./readiness";
import type { WorkloadFact } from "./report/schema";
import { isService, podsWanted, type Workload } from "./workloads";

export interface Refusal {
  readonly namespace: string;
  /** Object that creates the pods: the workload, or a dependent with its name as prefix. */
  readonly maker: string;
  readonly message: string;
}

interface ApiEvent extends KubernetesObject {
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly namespace?: string; readonly name?: string };
}

/** Controllers' messages for refused pods: quota, limits, Pod Security. */
export async function podRefusals(client: ApiClient): Promise<Refusal[]> {
  const events = (await client.list("v1", "Event")) as ApiEvent[];
  return events
    .filter(({ reason }) => reason === "FailedCreate")
    .map(({ involvedObject, message }) => ({
      namespace: involvedObject?.namespace ?? "",
      maker: involvedObject?.name ?? "",
      message: message ?? "",
    }));
}

export function workloadFact(workload: Workload, state: ClusterState, refusals: readonly Refusal[]): WorkloadFact {
  const { kind, namespace, name, model, replicas, size } = workload;
  const pods = podsOfWorkload(workload, state);
  const ready = readyReplicas(workload, state);
  const isShort = isService(workload) ? pods.length < podsWanted(workload) : ready < replicas && pods.length === 0;
  return {
    kind,
    namespace,
    name,
    model,
    replicas,
    readyReplicas: ready,
    size,
    pods: pods.map(podFact),
    missing: isShort ? (refusalOf(workload, refusals) ?? "its controller to make its pods") : null,
  };
}

/** The latest, as earlier ones may be resolved. */
function refusalOf({ namespace, name }: Workload, refusals: readonly Refusal[]): string | undefined {
  return refusals
    .filter((refusal) => refusal.namespace === namespace)
    .filter(({ maker }) => maker === name || maker.startsWith(`${name}-`))
    .at(-1)?.message;
}
