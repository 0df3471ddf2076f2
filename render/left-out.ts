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
 * Whether an object is left out: a StorageClass whose parameters hold the id of a key that a deployment makes. Whoever makes
 * the cluster can make it too, and what uses it names it alone. Anything else would be missed: it is refused.
 */
export function leftOut(object: KubernetesObject): LeftOut | undefined {
  const pending = pendingPaths(object);
  if (object.kind !== "StorageClass" || pending.length === 0 || !pending.every(({ text }) => isMade(text))) {
    return undefined;
  }
  return {
    object: `${object.kind} ${object.metadata.name}`,
    fields: pending.map(({ path }) => path.join(".")),
  };
}

/** Which object, why, and what to do. */
export function leftOutText({ object, fields }: LeftOut): string {
  return `${object} is in no file: ${fields.join(", ")} is known once the stack that makes the cluster is deployed. Render again with --outputs FILE, where FILE is what "pulumi stack output --json" prints for that stack; or make the class yourself before the first sync, because claims wait for it.`;
}
