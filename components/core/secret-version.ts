import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS } from "../../names/labels";
import { hashOf } from "./job-scripts";

/**
 * Annotation of pods that read a Secret when they start: it changes with the content and with nothing else, and is known whenever the
 * content is. A resource version changes with every write, and is unknown in a preview.
 *
 * @param content what the Secret was given, generated keys: a hash of them says nothing about them.
 */
export function secretVersion(
  secret: kubernetes.core.v1.Secret,
  content: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>,
): Record<string, pulumi.Output<string>> {
  // The URN makes pods wait for the Secret.
  const version = pulumi.all([content, secret.urn]).apply(([known]) => hashOf(known));
  return { [ANNOTATIONS.secretVersion]: pulumi.unsecret(version) };
}
