import { createHash } from "node:crypto";
import { groupOf, type KubernetesObject } from "../kubernetes/object";

const DIGITS = 8;
/** Pods carry the name of their Job as the value of a label. */
const LONGEST = 63;

/**
 * The object; a Job under a name that follows from what it runs. That cannot change under one name: Argo CD's comparison of such a Job
 * fails, and with it the sync of everything, whatever its sync options say (argo-cd issue 29348, in 3.6.1 too). Under another name it is
 * another Job, and the earlier one is pruned.
 */
export function namedByContent(object: KubernetesObject): KubernetesObject {
  if (!isJob(object)) {
    return object;
  }
  const digest = createHash("sha256")
    .update(JSON.stringify(object.spec ?? {}))
    .digest("hex")
    .slice(0, DIGITS);
  const stem = object.metadata.name.slice(0, LONGEST - DIGITS - 1);
  return { ...object, metadata: { ...object.metadata, name: `${stem}-${digest}` } };
}

export function isJob({ apiVersion, kind }: KubernetesObject): boolean {
  return kind === "Job" && groupOf(apiVersion) === "batch";
}
