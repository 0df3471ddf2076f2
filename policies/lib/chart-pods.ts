import { type PodSecurityLevel, podSecurityLevel } from "../../names/pod-security";
import { type Field, isObject } from "./field";
import { CONTEXT_KEYS, heldPods, POD_KEYS, type PodTemplate } from "./pods";
import { HELM_CHART, type Resource } from "./resource";

/** Level: what the namespace allows pods of charts. */
export interface ChartPod extends PodTemplate {
  readonly level: PodSecurityLevel;
}

/** Subcharts may have other namespaces. */
interface Place {
  readonly key: string;
  readonly field: Field;
  readonly namespace: Field;
}

/** Found by shape: each chart names them differently. */
export function chartPods(resource: Resource): ChartPod[] {
  return places(resource)
    .filter(({ field }) => isObject(field.value))
    .flatMap(({ field, namespace }) => {
      const context = has(field, CONTEXT_KEYS) ? field.heldAs("securityContext") : undefined;
      return [
        ...(context === undefined ? [] : [chartPod(context, namespace, true)]),
        ...(has(field, POD_KEYS) ? [chartPod(field, namespace, false)] : []),
      ];
    });
}

function chartPod(spec: Field, namespace: Field, isContainer: boolean): ChartPod {
  const containers = isContainer ? [{ name: spec.path, field: spec }] : [];
  return { metadata: spec.get("metadata"), spec, containers, isPartial: true, level: levelOf(namespace) };
}

export function chartHostParts(resource: Resource): Field[] {
  return places(resource)
    .filter(({ key, field, namespace }) => levelOf(namespace) !== "privileged" && isHosts(key, field))
    .map(({ field }) => field);
}

function isHosts(key: string, field: Field): boolean {
  return key === "hostPort"
    ? field.is((port) => Number(port) > 0)
    : key === "hostPath" && field.is((path) => isObject(path) || (typeof path === "string" && path.startsWith("/")));
}

function places({ type, props }: Resource): Place[] {
  return HELM_CHART.test(type) ? placesIn("values", props.get("values"), props.get("namespace")) : [];
}

function placesIn(key: string, field: Field, outer: Field): Place[] {
  const held = heldPods(field) ?? [];
  if (held.length > 0) {
    return held.flatMap((each) => placesIn(key, each, outer));
  }
  const own = field.get("namespaceOverride");
  const namespace = typeof own.value === "string" && own.value !== "" ? own : outer;
  const below = Array.isArray(field.value)
    ? field.items().flatMap((item) => placesIn(key, item, namespace))
    : isObject(field.value)
      ? field.entries().flatMap(([name, child]) => placesIn(name, child, namespace))
      : [];
  return [{ key, field, namespace }, ...below];
}

function levelOf(namespace: Field): PodSecurityLevel {
  const name = namespace.text();
  return name === undefined ? "restricted" : podSecurityLevel({ name, labels: {} });
}

function has(field: Field, keys: readonly string[]): boolean {
  return isObject(field.value) && keys.some((key) => Object.hasOwn(field.value as object, key));
}
