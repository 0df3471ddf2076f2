import { isPlain, type Plain } from "./plain";

/** Where a pod's containers are listed. */
export const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** What a controller makes pods from; a pod too. */
export interface PodTemplate extends Plain {
  readonly metadata?: unknown;
  readonly spec: Plain & { readonly containers: readonly unknown[] };
}

/** A pod template has a spec with containers, whatever kind of object it stands in: a workload, or what operators read. */
function isPodTemplate(value: unknown): value is PodTemplate {
  return isPlain(value) && isPlain(value.spec) && Array.isArray(value.spec.containers);
}

/** Every pod template in an object, with the keys that lead to it. */
export function podTemplates(
  value: unknown,
  path: readonly string[] = [],
): { path: readonly string[]; template: PodTemplate }[] {
  if (isPodTemplate(value)) {
    return [{ path, template: value }];
  }
  const isOpen = isPlain(value) || Array.isArray(value);
  return isOpen ? Object.entries(value).flatMap(([key, item]) => podTemplates(item, [...path, key])) : [];
}

/** The object with every pod template in it changed. */
export function mapPodTemplates(value: unknown, change: (template: PodTemplate) => Plain): unknown {
  if (isPodTemplate(value)) {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapPodTemplates(item, change));
  }
  return isPlain(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapPodTemplates(item, change)]))
    : value;
}
