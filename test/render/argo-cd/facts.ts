/** Facts about a cluster, as texts: what objects need, and what they bring. */
import type { ReadObject } from "../run";
import { field, list, text, texts } from "./fields";

/** The object was applied. */
export const exists = (kind: string, name: string, namespace?: string) => `${kind} ${namespace ?? ""}/${name} exists`;
/** The object is healthy. */
export const healthy = (kind: string, name: string, namespace?: string) =>
  `${kind} ${namespace ?? ""}/${name} is healthy`;
/** The API server knows the kinds of a group. */
export const served = (group: string) => `kinds of ${group} are served`;
/** A Secret has its content. */
export const secret = (name: string, namespace?: string) => `Secret ${namespace ?? ""}/${name} is filled`;
/** Somebody answers at a Service. */
export const answers = (service: string, namespace: string) => `Service ${service}.${namespace} answers`;
/** A model lies under a prefix of the store's bucket. */
export const stored = (prefix: string) => `the store holds ${prefix}`;

/** Pod specs anywhere in an object: of Deployments, Jobs, LeaderWorkerSets… */
export function podSpecs(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) {
    return value.flatMap(podSpecs);
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const record = value as Readonly<Record<string, unknown>>;
  const isPod = list(record, "containers").some((container) => text(container, "image") !== undefined);
  return isPod ? [record] : Object.values(record).flatMap(podSpecs);
}

/** Value of an environment variable in any container that ends: an init container's, or a Job's. */
export function variable(containers: readonly unknown[], name: string): string | undefined {
  const found = containers.flatMap((container) => list(container, "env")).find((entry) => text(entry, "name") === name);
  return text(found, "value");
}

/** What a pod must have to start: mounted and referenced objects, account, priority. */
export function startNeeds(pod: unknown, namespace: string | undefined): string[] {
  const volumes = list(pod, "volumes");
  const containers = [...list(pod, "containers"), ...list(pod, "initContainers")];
  const sources = containers.flatMap((container) => [
    ...list(container, "env").map((entry) => field(entry, "valueFrom")),
    ...list(container, "envFrom"),
  ]);
  const named = (values: readonly unknown[], ...path: string[]) =>
    values.flatMap((value) => text(value, ...path) ?? []);
  const configMaps = [
    ...named(volumes, "configMap", "name"),
    ...named(sources, "configMapKeyRef", "name"),
    ...named(sources, "configMapRef", "name"),
  ];
  const secrets = [
    ...named(volumes, "secret", "secretName"),
    ...named(sources, "secretKeyRef", "name"),
    ...named(sources, "secretRef", "name"),
  ];
  return [
    ...configMaps.map((name) => exists("ConfigMap", name, namespace)),
    ...secrets.map((name) => secret(name, namespace)),
    ...named(volumes, "persistentVolumeClaim", "claimName").map((name) =>
      exists("PersistentVolumeClaim", name, namespace),
    ),
    ...named([pod], "serviceAccountName").map((name) => exists("ServiceAccount", name, namespace)),
    ...named([pod], "priorityClassName").map((name) => exists("PriorityClass", name)),
  ];
}

/** Services that texts name as `<service>.<namespace>.svc`. */
export function namedServices(value: unknown): string[] {
  const names = texts(value).flatMap((found) => [...found.matchAll(/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b/g)]);
  return [...new Set(names.map(([, service = "", namespace = ""]) => answers(service, namespace)))];
}

/** Services of these objects that select the pods of a controller. */
export function servicesOf(controller: ReadObject, objects: readonly ReadObject[]): ReadObject[] {
  const labels = field(controller.spec, "template", "metadata", "labels");
  return objects.filter(
    ({ kind, metadata, spec }) =>
      kind === "Service" &&
      metadata.namespace === controller.metadata.namespace &&
      Object.entries(field(spec, "selector") ?? {}).every(([key, value]) => text(labels, key) === value),
  );
}
