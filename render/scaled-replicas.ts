import { groupOf, type KubernetesObject } from "../kubernetes/object";
import { isRecord } from "./kubernetes-object";
import type { OrderedObject } from "./waves";

/** Groups and kinds whose `spec.scaleTargetRef` names what they scale, in their own namespace. */
const AUTOSCALERS: ReadonlySet<string> = new Set(["keda.sh/ScaledObject", "autoscaling/HorizontalPodAutoscaler"]);

/**
 * The objects, without `spec.replicas` where an autoscaler among them says it: with the number in Git, each sync would set it
 * back. What is created without it has one replica, and the autoscaler brings those that it is short of.
 */
export function withoutScaledReplicas(objects: readonly OrderedObject[]): OrderedObject[] {
  const scaled = new Set(objects.flatMap(({ object }) => targetOf(object) ?? []));
  return objects.map((item) => (scaled.has(placeOf(item.object)) ? { ...item, object: unsized(item.object) } : item));
}

function targetOf({ apiVersion, kind, metadata, spec }: KubernetesObject): string | undefined {
  const target = isRecord(spec) ? spec.scaleTargetRef : undefined;
  if (!AUTOSCALERS.has(`${groupOf(apiVersion)}/${kind}`) || !isRecord(target)) {
    return undefined;
  }
  return place(String(target.apiVersion), String(target.kind), metadata.namespace, String(target.name));
}

function placeOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return place(apiVersion, kind, metadata.namespace, metadata.name);
}

function place(apiVersion: string, kind: string, namespace: string | undefined, name: string): string {
  return `${groupOf(apiVersion)}/${kind} ${namespace ?? ""}/${name}`;
}

function unsized(object: KubernetesObject): KubernetesObject {
  if (!isRecord(object.spec)) {
    return object;
  }
  const { replicas: _, ...spec } = object.spec;
  return { ...object, spec };
}
