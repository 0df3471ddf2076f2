import { CONTAINER_LISTS } from "../../kubernetes/pod-templates";
import { documentsIn, patchIn } from "./documents";
import { type Field, isObject, UNKNOWN, type Value } from "./field";
import type { Resource } from "./resource";

/** Metadata and spec of the pods that a resource makes, or a part of them. */
export interface PodTemplate {
  readonly metadata: Field;
  readonly spec: Field;
  /** Init and ephemeral containers included. */
  readonly containers: readonly Container[];
  /** It is merged into pods that something else describes: what it leaves out is not missing. */
  readonly isPartial: boolean;
}

export interface Container {
  readonly name: string;
  readonly field: Field;
}

/** What only a container, or the spec of a pod, has. Operators take such parts under names of their own. */
const CONTAINER_KEYS = ["securityContext", "volumeMounts", "envFrom"];
export const POD_KEYS = [
  ...["hostNetwork", "hostPID", "hostIPC", "hostAliases", "dnsPolicy", "dnsConfig"],
  ...["priorityClassName", "tolerations"],
];

/** What only a security context has. */
export const CONTEXT_KEYS = [
  ...["privileged", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities", "procMount"],
  ...["runAsUser", "runAsNonRoot", "seccompProfile", "seLinuxOptions"],
];

/** Under it, operators take fragments to merge into pods that they make themselves. */
const PATCH_KEY = /patch(es)?$/i;
/** Under it, an unknown value may well be a pod. */
const POD_KEY = /^spec$|template$|^(init|ephemeral)?containers$/i;

/** Where a search for pods stands. */
interface Place {
  readonly key: string;
  readonly parent: Field | undefined;
  readonly isPartial: boolean;
}

/**
 * Every pod inside a Kubernetes object, found by its shape wherever it stands: an object with a list of containers is
 * the spec of a pod, whatever the kind and the key. An object that has only some of what pods or containers have is a
 * part of one. Text that is YAML or JSON, and JSON patches (`op`, `path`, `value`), count as what they hold.
 */
export function podTemplates(resource: Resource): PodTemplate[] {
  if (resource.kind === undefined || resource.kind === "CustomResourceDefinition") {
    return [];
  }
  return podsBelow(resource.props, { key: "", parent: undefined, isPartial: resource.isPatch });
}

/** Keys without one of which nothing is a pod, nor a part of one. */
const TELLING_KEYS: ReadonlySet<string> = new Set([
  ...CONTAINER_LISTS,
  ...CONTAINER_KEYS,
  ...POD_KEYS,
  "image",
  "volumes",
]);

/**
 * A text with such a key, by what YAML and JSON write before and after one; with a key that is written by escapes or an alias; or with
 * the path of a JSON patch.
 */
const TELLING_TEXT = new RegExp(
  [
    `(^|[\\s{,\\[])["']?(${[...TELLING_KEYS].filter((key) => key !== "image").join("|")})["']?\\s*:`,
    `"[^"\\\\\\n]*\\\\[^"\\n]*"\\s*:`,
    `(^|[\\s{,])\\*[^\\s,[\\]{}]+\\s+:`,
    `["']?path["']?\\s*:\\s*["']?/`,
  ].join("|"),
  "m",
);

/** What was looked through; many policies look through the same resources. */
const mayHold = new WeakMap<object, boolean>();

/** Whether a pod, or something unknown that may be one, can be in a value at all. */
function mayHoldPods(value: Value): boolean {
  if (value === UNKNOWN) {
    return true;
  }
  if (typeof value === "string") {
    return TELLING_TEXT.test(value);
  }
  if (value === null || typeof value !== "object") {
    return false;
  }
  const known = mayHold.get(value);
  if (known !== undefined) {
    return known;
  }
  const found = Array.isArray(value)
    ? value.some(mayHoldPods)
    : patchIn(value as Value) !== undefined ||
      Object.entries(value).some(([key, child]) => TELLING_KEYS.has(key) || mayHoldPods(child as Value));
  mayHold.set(value, found);
  return found;
}

function podsBelow(field: Field, place: Place): PodTemplate[] {
  if (!mayHoldPods(field.value)) {
    return [];
  }
  if (field.value === UNKNOWN && (place.key === "" || POD_KEY.test(place.key))) {
    field.items(); // asks, so that the result is "undecided"
  }
  const held = heldPods(field);
  if (held !== undefined) {
    return held.flatMap((each) => podsBelow(each, { ...place, isPartial: place.isPartial || !isManifest(each.value) }));
  }
  if (Array.isArray(field.value)) {
    return field.items().flatMap((item) => podsBelow(item, place));
  }
  if (!isObject(field.value)) {
    return [];
  }
  const isPartial = place.isPartial || PATCH_KEY.test(place.key);
  const spec = podAt(field, { ...place, isPartial });
  if (spec) {
    return [spec];
  }
  const part = partAt(field, place.key);
  const below = field.entries().flatMap(([key, child]) => podsBelow(child, { key, parent: field, isPartial }));
  return part ? [part, ...below] : below;
}

/** What a text or a JSON patch holds that may be a pod or a part of one; undefined for what is neither. */
export function heldPods(field: Field): Field[] | undefined {
  const { value } = field;
  if (typeof value === "string") {
    return TELLING_TEXT.test(value)
      ? documentsIn(field).filter((document) => isObject(document.value) || Array.isArray(document.value))
      : [];
  }
  const patch = patchIn(value);
  return patch === undefined ? undefined : [field.containing(patch)];
}

/** A whole object: what it leaves out is missing. */
function isManifest(value: Value): boolean {
  return isObject(value) && typeof value.apiVersion === "string" && typeof value.kind === "string";
}

/** The pod whose spec a field is. */
function podAt(field: Field, { key, parent, isPartial }: Place): PodTemplate | undefined {
  if (!CONTAINER_LISTS.some((list) => isContainerList(field.get(list).value))) {
    return undefined;
  }
  const metadata = (key === "spec" && parent ? parent : field).get("metadata");
  const containers = CONTAINER_LISTS.flatMap((list) => field.get(list).items().map(asContainer));
  return { metadata, spec: field, containers, isPartial };
}

/** The part of a pod, or of a container, that a field is. */
function partAt(field: Field, key: string): PodTemplate | undefined {
  const isContainer = has(field, CONTAINER_KEYS) || (/container$/i.test(key) && has(field, ["image"]));
  if (!isContainer && !has(field, POD_KEYS) && !hasVolumes(field)) {
    return undefined;
  }
  const containers = isContainer ? [asContainer(field)] : [];
  return { metadata: field.get("metadata"), spec: field, containers, isPartial: true };
}

function has(field: Field, keys: readonly string[]): boolean {
  return keys.some((key) => field.get(key).value !== undefined);
}

function isContainerList(value: Value): boolean {
  return value === UNKNOWN || (Array.isArray(value) && value.some((item) => item === UNKNOWN || isObject(item)));
}

function hasVolumes(field: Field): boolean {
  const { value } = field.get("volumes");
  return Array.isArray(value) && value.some((volume) => isObject(volume) && typeof volume.name === "string");
}

function asContainer(field: Field): Container {
  return { name: field.get("name").text() ?? field.path, field };
}
