import { CONTAINER_LISTS } from "../../kubernetes/pod-templates";
import { askedOnce } from "./asked-once";
import { documentsIn, patchIn } from "./documents";
import { type Field, isObject, UNKNOWN, type Value } from "./field";
import type { Resource } from "./resource";

export interface PodTemplate {
  readonly metadata: Field;
  readonly spec: Field;
  /** Init and ephemeral containers included. */
  readonly containers: readonly Container[];
  /** Merged into pods defined elsewhere: absent fields are not missing. */
  readonly isPartial: boolean;
}

export interface Container {
  readonly name: string;
  readonly field: Field;
}

/** Only a container or a pod's spec has these. Operators take such parts under own names. */
const CONTAINER_KEYS = ["securityContext", "volumeMounts", "envFrom"];
export const POD_KEYS = [
  ...["hostNetwork", "hostPID", "hostIPC", "hostAliases", "dnsPolicy", "dnsConfig"],
  ...["priorityClassName", "tolerations"],
];

/** Only a security context has these. */
export const CONTEXT_KEYS = [
  ...["privileged", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities", "procMount"],
  ...["runAsUser", "runAsNonRoot", "seccompProfile", "seLinuxOptions"],
];

/** Under it, operators take fragments to merge into pods that they create. */
const PATCH_KEY = /patch(es)?$/i;
/** Under it, an unknown value may be a pod. */
const POD_KEY = /^spec$|template$|^(init|ephemeral)?containers$/i;

interface Place {
  readonly key: string;
  readonly parent: Field | undefined;
  readonly isPartial: boolean;
}

/**
 * Found by shape: an object with a list of containers is a pod's spec, whatever its kind and key;
 * one with only some fields of pods or containers is a part. YAML or JSON text and JSON patches
 * (`op`, `path`, `value`) count as their content.
 */
export function podTemplates(resource: Resource): PodTemplate[] {
  if (resource.kind === undefined || resource.kind === "CustomResourceDefinition") {
    return [];
  }
  return podsBelow(resource.props, { key: "", parent: undefined, isPartial: resource.isPatch });
}

/** Every pod, or part of one, has one of these keys. */
const TELLING_KEYS: ReadonlySet<string> = new Set([
  ...CONTAINER_LISTS,
  ...CONTAINER_KEYS,
  ...POD_KEYS,
  "image",
  "volumes",
]);

/** In YAML or JSON, by escapes or an alias, or in a JSON patch path. */
const TELLING_TEXT = new RegExp(
  [
    `(^|[\\s{,\\[])["']?(${[...TELLING_KEYS].filter((key) => key !== "image").join("|")})["']?\\s*:`,
    `"[^"\\\\\\n]*\\\\[^"\\n]*"\\s*:`,
    `(^|[\\s{,])\\*[^\\s,[\\]{}]+\\s+:`,
    `["']?path["']?\\s*:\\s*["']?/`,
  ].join("|"),
  "m",
);

/** The search takes long in scripts and dashboards alone. */
const LONG = 200;
const tells = (text: string) => TELLING_TEXT.test(text);
const longTells = askedOnce(tells);
const isTelling = (text: string) => (text.length < LONG ? tells(text) : longTells(text));

/** Cached, because many policies read the same resources. */
const mayHold = new WeakMap<object, boolean>();

/** An unknown value may be a pod. */
function mayHoldPods(value: Value): boolean {
  if (value === UNKNOWN) {
    return true;
  }
  if (typeof value === "string") {
    return isTelling(value);
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
    field.items(); // reads, so that the result is "undecided"
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

/** Undefined for other values. */
export function heldPods(field: Field): Field[] | undefined {
  const { value } = field;
  if (typeof value === "string") {
    return isTelling(value)
      ? documentsIn(field).filter((document) => isObject(document.value) || Array.isArray(document.value))
      : [];
  }
  const patch = patchIn(value);
  return patch === undefined ? undefined : [field.containing(patch)];
}

/** A whole object: absent fields are missing. */
function isManifest(value: Value): boolean {
  return isObject(value) && typeof value.apiVersion === "string" && typeof value.kind === "string";
}

function podAt(field: Field, { key, parent, isPartial }: Place): PodTemplate | undefined {
  if (!CONTAINER_LISTS.some((list) => isContainerList(field.get(list).value))) {
    return undefined;
  }
  const metadata = (key === "spec" && parent ? parent : field).get("metadata");
  const containers = CONTAINER_LISTS.flatMap((list) => field.get(list).items().map(asContainer));
  return { metadata, spec: field, containers, isPartial };
}

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
