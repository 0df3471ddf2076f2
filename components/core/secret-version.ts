import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS } from "../../names/labels";
import { hashOf } from "./job-scripts";

/**
 * Pod annotation that changes only with a Secret's content. A resource version changes with every
 * write and is unknown in previews.
 *
 * @param content of the Secret, with a text that cannot be guessed: pods contain its hash.
 */
export function secretVersion(
  secret: kubernetes.core.v1.Secret,
  content: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>,
): Record<string, pulumi.Output<string>> {
  // The URN makes pods wait for the Secret.
  const version = pulumi.all([content, secret.urn]).apply(([known]) => hashOf(known));
  return { [ANNOTATIONS.secretVersion]: pulumi.unsecret(version) };
}
