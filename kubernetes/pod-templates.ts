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

/** A pod template in an object, and the keys that lead to it. */
export interface FoundTemplate {
  readonly path: readonly string[];
  readonly template: PodTemplate;
}

/** Every pod template in an object. */
export function podTemplates(value: unknown): FoundTemplate[] {
  if (isPodTemplate(value)) {
    return [{ path: [], template: value }];
  }
  if (!isPlain(value) && !Array.isArray(value)) {
    return [];
  }
  // Most of an object leads to none: a path is put together on the way back.
  return Object.entries(value).flatMap(([key, item]) =>
    podTemplates(item).map(({ path, template }) => ({ path: [key, ...path], template })),
  );
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
