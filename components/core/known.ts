import type * as pulumi from "@pulumi/pulumi";

/** Output methods missing from its public types (@pulumi/pulumi 3.248, output.ts). */
interface Knowable {
  readonly isKnown: Promise<boolean>;
}

/** Whether the run resolves the output; rejects if its resource failed. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as Knowable).isKnown;
}

/**
 * Kubernetes name chosen by the program, depending on the object. Known in the first preview,
 * unlike the cluster's answer.
 */
export function named(object: pulumi.CustomResource, name: string): pulumi.Output<string> {
  return object.urn.apply(() => name);
}

/**
 * Resource output, unknown if the run skipped the resource, for example by `--target`. The SDK
 * treats missing outputs as known `undefined`; a missing ID marks that case.
 */
export function ofMade<T>({ id }: pulumi.CustomResource, output: pulumi.Output<T>): pulumi.Output<T> {
  return id.apply(() => output) as pulumi.Output<T>;
}
