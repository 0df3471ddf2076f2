import { isDeepStrictEqual } from "node:util";
import type { KubernetesObject } from "../../cluster/kubernetes-object";

/** Fields that the official provider replaces an object for, of every kind. */
const IDENTITY = ["apiVersion", "kind", "metadata.name", "metadata.namespace"];

/**
 * Fields that the official provider replaces an object of a kind for, with ConfigMaps and Secrets immutable as is its
 * default. Source: pulumi/pulumi-kubernetes provider/pkg/provider/diff.go, read 2026-11-21.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["binaryData", "data"],
  DaemonSet: ["spec.selector"],
  Deployment: ["spec.selector"],
  Job: ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
  PersistentVolumeClaim: ["spec"],
  ResourceQuota: ["spec.scopes"],
  Secret: ["type", "stringData", "data"],
  Service: ["spec.clusterIP"],
  StatefulSet: [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
};

/** Paths of the changed fields that cannot be changed in place. */
export function replacementPaths(before: KubernetesObject, after: KubernetesObject): string[] {
  return [...IDENTITY, ...(FIELDS[after.kind] ?? [])].filter(
    (path) => !isDeepStrictEqual(at(before, path), at(after, path)),
  );
}

function at(object: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}
