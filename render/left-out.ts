import type { KubernetesObject } from "../kubernetes/object";
import { isMade, pendingPaths } from "./pending-values";

/** An object that no file has, because it needs what only a deployment makes. */
export interface LeftOut {
  /** Kind and name. */
  readonly object: string;
  /** Where it needs that. */
  readonly fields: readonly string[];
}

/**
 * What may be missing until it is rendered again: a class of volumes, whose parameters hold the id of a key; what Karpenter
 * boots machines from; a controller of the cloud's, which is set to its queue or network. What uses them names them alone, and
 * waits.
 */
const MAY_BE_MISSING: ReadonlySet<string> = new Set(["StorageClass", "EC2NodeClass", "Application"]);

/** Whether an object is left out, because it holds what a deployment makes. Any other kind would be missed: it is refused. */
export function leftOut(object: KubernetesObject): LeftOut | undefined {
  const pending = pendingPaths(object);
  if (!MAY_BE_MISSING.has(object.kind) || pending.length === 0 || !pending.every(({ text }) => isMade(text))) {
    return undefined;
  }
  return {
    object: `${object.kind} ${object.metadata.name}`,
    fields: pending.map(({ path }) => path.join(".")),
  };
}

/** Which object, why, and what to do. */
export function leftOutText({ object, fields }: LeftOut): string {
  return `${object} is in no file: ${fields.join(", ")} is known once the stack that makes the cluster is deployed. Render again with --outputs FILE, where FILE is what "pulumi stack output --json" prints for that stack; or make it yourself before the first sync, because others wait for it.`;
}
