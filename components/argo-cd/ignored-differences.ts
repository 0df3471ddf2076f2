import { groupOf } from "../../kubernetes/object";

/** An object with fields that another manager sets at run time. */
export interface LooseObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Paths of fields, as Pulumi's `ignoreChanges` has them: `spec.replicas`. */
  readonly ignored: readonly string[];
}

/** A row of an Application's `spec.ignoreDifferences`. */
export interface IgnoredDifference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly jsonPointers: readonly string[];
}

/**
 * Replicas that model control sets, ConfigMaps written by Jobs, and claims that cannot grow. With
 * `RespectIgnoreDifferences`, syncs keep them.
 */
export function ignoredDifferences(objects: readonly LooseObject[]): IgnoredDifference[] {
  return objects
    .filter(({ ignored }) => ignored.length > 0)
    .map(({ apiVersion, kind, name, namespace, ignored }) => ({
      group: groupOf(apiVersion),
      kind,
      name,
      ...(namespace !== undefined && { namespace }),
      jsonPointers: ignored.map((path) => `/${path.replaceAll(".", "/")}`),
    }))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function key({ namespace = "", kind, name }: IgnoredDifference): string {
  return `${namespace}/${kind}/${name}`;
}
