import type { KubernetesObject } from "../../../kubernetes/object";

interface WorkloadSpec {
  readonly template: { readonly metadata?: Partial<KubernetesObject["metadata"]>; readonly spec: object };
}

/** A pod of a Deployment, StatefulSet or Job, as its controller would make it. */
export function podOf({ metadata, spec }: KubernetesObject, name: string): KubernetesObject {
  const { template } = spec as unknown as WorkloadSpec;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...template.metadata, name, namespace: metadata.namespace },
    spec: template.spec,
  };
}
