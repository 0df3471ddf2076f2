import * as pulumi from "@pulumi/pulumi";

/** What Kubernetes itself makes pods of. */
const WORKLOADS = ["kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet"];

/**
 * Only workloads wait for nodes, so weights are copied while machines start.
 * @param other type token of an operator's objects, if any.
 */
export function podsAfter(
  ready: readonly pulumi.Resource[],
  other: string | undefined,
): pulumi.ResourceTransformation[] {
  return ready.length === 0
    ? []
    : [
        ({ type, props, opts }) =>
          type === other || WORKLOADS.includes(type)
            ? { props, opts: pulumi.mergeOptions(opts, { dependsOn: [...ready] }) }
            : undefined,
      ];
}
