import type { KubernetesObject } from "../../../kubernetes/object";

interface WorkloadSpec {
  readonly template: { readonly metadata?: Partial<KubernetesObject["metadata"]>; readonly spec: object };
}

/** Pod that a Deployment's, StatefulSet's or Job's controller would create. */
export function podOf({ metadata, spec }: KubernetesObject, name: string): KubernetesObject {
  const { template } = spec as unknown as WorkloadSpec;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...template.metadata, name, namespace: metadata.namespace },
    spec: template.spec,
  };
}
