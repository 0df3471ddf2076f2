import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../../../kubernetes/object";

/** Fields that the official provider replaces an object for, of every kind. */
const IDENTITY = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/**
 * Fields that the official provider replaces an object of a kind for, with Secrets and ConfigMaps mutable, as
 * ExistingCluster sets it up. Source: pulumi/pulumi-kubernetes provider/pkg/provider/diff.go, read 2026-11-21.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ClusterRoleBinding: ["roleRef"],
  DaemonSet: ["spec.selector"],
  Deployment: ["spec.selector"],
  Job: ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
  PersistentVolumeClaim: ["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
  ResourceQuota: ["spec.scopes"],
  RoleBinding: ["roleRef"],
  Secret: ["type"],
  Service: ["spec.clusterIP"],
  StatefulSet: [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
};

/** The same of objects that say `immutable`. */
const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["binaryData", "data"],
  Secret: ["type", "stringData", "data"],
};

/** Paths of the changed fields that cannot be changed in place. */
export function replacementPaths(before: KubernetesObject, after: KubernetesObject): string[] {
  const fields = (after.immutable === true && IMMUTABLE[after.kind]) || FIELDS[after.kind] || [];
  return [...IDENTITY, ...fields].filter((path) => !isDeepStrictEqual(at(before, path), at(after, path)));
}

function at(object: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}
