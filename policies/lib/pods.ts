import { type Field, isObject, UNKNOWN } from "./field";
import type { Resource } from "./resource";

/** Metadata and spec of the pods that a resource makes. */
export interface PodTemplate {
  readonly metadata: Field;
  readonly spec: Field;
}

export interface Container {
  readonly name: string;
  readonly field: Field;
}

/** Key under which Kubernetes objects, built in or custom, hold a pod template (`template`, `workerTemplate`, …). */
const TEMPLATE_KEY = /template$/i;

/** Under it, operators take fragments to merge into pods that they make themselves: no pod can be judged by them. */
const PATCH_KEY = /patch(es)?$/i;

/**
 * Every pod template inside a resource, whatever its kind: a Pod is one itself; in workloads, Jobs,
 * LeaderWorkerSets, RayServices and other custom resources it is an object with `spec.containers` under a
 * key that ends in "template".
 */
export function podTemplates(resource: Resource): PodTemplate[] {
  if (resource.kind === undefined) {
    return [];
  }
  if (resource.kind === "Pod") {
    return [asTemplate(resource.props)];
  }
  return [
    ...templatesUnder(resource.props.get("spec"), "spec"),
    ...templatesUnder(resource.props.get("template"), "template"),
  ];
}

function templatesUnder(field: Field, key: string): PodTemplate[] {
  if (field.value === UNKNOWN) {
    if (key === "spec" || TEMPLATE_KEY.test(key)) {
      field.items(); // asks, so that the result is "undecided"
    }
    return [];
  }
  if (
    TEMPLATE_KEY.test(key) &&
    (field.get("spec", "containers").value !== undefined || field.get("spec").value === UNKNOWN)
  ) {
    return [asTemplate(field)];
  }
  if (Array.isArray(field.value)) {
    return field.items().flatMap((item) => templatesUnder(item, ""));
  }
  if (PATCH_KEY.test(key)) {
    return [];
  }
  return isObject(field.value) ? field.entries().flatMap(([name, child]) => templatesUnder(child, name)) : [];
}

function asTemplate(field: Field): PodTemplate {
  return { metadata: field.get("metadata"), spec: field.get("spec") };
}

/** Containers of a pod, init containers included. */
export function containers({ spec }: PodTemplate): Container[] {
  return ["initContainers", "containers"].flatMap((list) =>
    spec
      .get(list)
      .items()
      .map((field) => ({ name: field.get("name").text() ?? field.path, field })),
  );
}
