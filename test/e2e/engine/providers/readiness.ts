import type { KubernetesObject } from "../../../../kubernetes/object";

interface Workload {
  readonly metadata: { readonly generation?: number };
  readonly spec: { readonly replicas?: number; readonly completions?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

const RULES: Readonly<Record<string, (object: Workload) => boolean>> = {
  Deployment: rolledOut,
  StatefulSet: rolledOut,
  Job: ({ spec, status }) => (status?.succeeded ?? 0) >= (spec.completions ?? 1),
};

/**
 * Whether an object is as ready as the official provider waits for it to be. Kinds whose controllers do not run here
 * are ready once they exist.
 *
 * @throws Error for a Job that failed for good.
 */
export function isReady(object: KubernetesObject): boolean {
  const workload = object as unknown as Workload;
  const failed = workload.status?.conditions?.find(({ type, status }) => type === "Failed" && status === "True");
  if (object.kind === "Job" && failed !== undefined) {
    throw new Error(`Job ${object.metadata.name}: ${failed.message}`);
  }
  return RULES[object.kind]?.(workload) ?? true;
}

function rolledOut({ metadata, spec, status }: Workload): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 1) &&
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.readyReplicas ?? 0) === replicas
  );
}
