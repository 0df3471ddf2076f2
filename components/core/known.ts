import type * as pulumi from "@pulumi/pulumi";

/** As much of an output as its types leave out (@pulumi/pulumi 3.248, output.ts). */
interface Knowable {
  readonly isKnown: Promise<boolean>;
}

/** Whether a run finds out the value of an output; rejected where the resource that it is of was. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as Knowable).isKnown;
}

/**
 * The name of a Kubernetes object that the program chose itself. What uses it comes after the object, as with the name that the cluster gives
 * back, but that one is unknown in the first preview, while there is no cluster: a URN never is.
 */
export function named(object: pulumi.CustomResource, name: string): pulumi.Output<string> {
  return object.urn.apply(() => name);
}

/**
 * An output of a resource, unknown where a run did not make it: its creation was skipped, or `--target` left it out. An engine may
 * answer then without outputs, and the SDK takes what is absent for a known `undefined`; without an id it never does.
 */
export function ofMade<T>({ id }: pulumi.CustomResource, output: pulumi.Output<T>): pulumi.Output<T> {
  return id.apply(() => output) as pulumi.Output<T>;
}
