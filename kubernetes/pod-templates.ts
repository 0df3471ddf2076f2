import { isPlain, type Plain } from "./plain";

export const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Template of pods, or a pod. */
export interface PodTemplate extends Plain {
  readonly metadata?: unknown;
  readonly spec: Plain & { readonly containers: readonly unknown[] };
}

/** A pod template has a spec with containers, in workloads or custom resources. */
function isPodTemplate(value: unknown): value is PodTemplate {
  return isPlain(value) && isPlain(value.spec) && Array.isArray(value.spec.containers);
}

export interface FoundTemplate {
  readonly path: readonly string[];
  readonly template: PodTemplate;
}

export function podTemplates(value: unknown): FoundTemplate[] {
  if (isPodTemplate(value)) {
    return [{ path: [], template: value }];
  }
  if (!isPlain(value) && !Array.isArray(value)) {
    return [];
  }
  // Builds paths on return, as most branches have no template.
  return Object.entries(value).flatMap(([key, item]) =>
    podTemplates(item).map(({ path, template }) => ({ path: [key, ...path], template })),
  );
}

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
