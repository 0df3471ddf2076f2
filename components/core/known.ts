import type * as pulumi from "@pulumi/pulumi";

/**
 * An output of a resource, unknown where a run did not make it: its creation was skipped, or `--target` left it out. An engine may
 * answer then without outputs, and the SDK takes what is absent for a known `undefined`; without an id it never does.
 */
export function ofMade<T>({ id }: pulumi.CustomResource, output: pulumi.Output<T>): pulumi.Output<T> {
  return id.apply(() => output) as pulumi.Output<T>;
}
