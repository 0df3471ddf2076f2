import * as pulumi from "@pulumi/pulumi";

/** What Kubernetes itself makes pods of. */
const WORKLOADS = ["kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet"];

/**
 * Makes the pods of a component's workloads wait for their nodes. Its namespace, Secrets and scripts come before: weights are copied
 * to the model store while machines start.
 *
 * @param other type token of what an operator makes pods of, where the component has such objects.
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
