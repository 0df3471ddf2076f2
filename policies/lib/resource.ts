import { askedOnce } from "./asked-once";
import { documentsIn } from "./documents";
import { Field, isObject, snapshot, UNKNOWN, type Value } from "./field";

/** From the engine or an offline run. */
export interface ResourceFacts {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** `UNKNOWN` where nothing is known. */
  readonly props: Readonly<Record<string, unknown>> | typeof UNKNOWN;
  /** From the engine; components have none, and offline runs pass none. */
  readonly provider?: unknown;
  readonly opts: { readonly protect: boolean };
  /** Top-level properties with a Pulumi secret. Only offline runs report them. */
  readonly secretInputs?: readonly string[];
  readonly propertyDependencies?: Readonly<Record<string, readonly { readonly urn: string }[]>>;
}

export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  /** Also of a patch; undefined outside Kubernetes. */
  readonly kind: string | undefined;
  /** A `…Patch` of an existing object: absent fields stay unchanged. */
  readonly isPatch: boolean;
  readonly props: Field;
  readonly protect: Field;
  readonly secretInputs: readonly string[] | undefined;
  /** URNs; undefined where unknown. */
  dependenciesOf(property: string): readonly string[] | undefined;
}

/** Other types of the provider hold charts and files. */
const KUBERNETES_OBJECT = /^kubernetes:(?!helm\.sh\/|yaml|kustomize).+:([A-Za-z0-9]+?)(Patch)?$/;

/** All generations of the Kubernetes provider. */
export const HELM_CHART = /^kubernetes:helm\.sh\/v\d+:(Release|Chart)$/;

/**
 * Expands a provider's list (`ServiceList`) into its items, so that policies need not know lists,
 * and a chart into itself and the objects in its values. Paths of unknown values are added to
 * `unknownPaths`.
 */
export function toResources(facts: ResourceFacts, unknownPaths: Set<string>): readonly Resource[] {
  const { props } = facts;
  if (props === UNKNOWN) {
    return unfold(toResource(facts, unknownPaths));
  }
  const known = unfolded.get(props);
  const found = known && isSame(known, facts, unknownPaths) ? known : keepUnfolded(facts, props, unknownPaths);
  for (const path of found.unknown) {
    unknownPaths.add(path);
  }
  return found.resources;
}

interface Unfolded {
  readonly facts: ResourceFacts;
  readonly unknownPaths: Set<string>;
  readonly resources: readonly Resource[];
  readonly unknown: readonly string[];
}

/** Cached by properties, because every policy reads them. */
const unfolded = new WeakMap<object, Unfolded>();

function isSame({ facts, unknownPaths }: Unfolded, other: ResourceFacts, others: Set<string>): boolean {
  const keys = ["type", "name", "urn", "opts", "secretInputs", "propertyDependencies"] as const;
  return unknownPaths === others && keys.every((key) => facts[key] === other[key]);
}

function keepUnfolded(facts: ResourceFacts, props: object, unknownPaths: Set<string>): Unfolded {
  const before = [...unknownPaths];
  unknownPaths.clear();
  const resources = unfold(toResource(facts, unknownPaths));
  const found = { facts, unknownPaths, resources, unknown: [...unknownPaths] };
  unknownPaths.clear();
  for (const path of before) {
    unknownPaths.add(path);
  }
  unfolded.set(props, found);
  return found;
}

function unfold(resource: Resource): Resource[] {
  if (HELM_CHART.test(resource.type)) {
    return [resource, ...objectsIn(resource.props.get("values")).flatMap((props) => objectOfChart(resource, props))];
  }
  const list = listOf(resource.type);
  if (list === null) {
    return [resource];
  }
  const [, group = "", kind = ""] = list;
  const items = resource.props.get("items");
  if (!items.is(Array.isArray)) {
    return [resource];
  }
  return items.items().flatMap((props) => {
    const apiVersion = props.get("apiVersion").text();
    const type = `kubernetes:${apiVersion === undefined ? group : coreGroup(apiVersion)}:${props.get("kind").text() ?? kind}`;
    return unfold(inside(resource, "items", type, props));
  });
}

function inside(resource: Resource, property: string, type: string, props: Field): Resource {
  const isSecret = resource.secretInputs?.includes(property);
  const secretInputs = resource.secretInputs && (isSecret && isObject(props.value) ? Object.keys(props.value) : []);
  return { ...resource, ...objectOf(type), type, props, secretInputs, dependenciesOf: () => undefined };
}

/** Its default namespace is the chart's, as in Helm. */
function objectOfChart(chart: Resource, props: Field): Resource[] {
  const metadata: Value = props.get("metadata").value;
  const namespace: Value = chart.props.get("namespace").value;
  const complete =
    isObject(props.value) && isObject(metadata) && namespace !== undefined
      ? props.containing({ ...props.value, metadata: { namespace, ...metadata } })
      : props;
  const type = `kubernetes:${coreGroup(props.get("apiVersion").text() ?? "")}:${props.get("kind").text() ?? ""}`;
  return unfold(inside(chart, "values", type, complete));
}

/** By shape: charts take objects under any name, as data or text. */
function objectsIn(field: Field): Field[] {
  const { value } = field;
  if (typeof value === "string") {
    const documents = /^[ \t]*(-[ \t]+)?["']?apiVersion["']?:/m.test(value) ? documentsIn(field) : [];
    return documents.flatMap(objectsIn);
  }
  if (Array.isArray(value)) {
    return field.items().flatMap(objectsIn);
  }
  if (!isObject(value)) {
    return [];
  }
  return typeof value.apiVersion === "string" && typeof value.kind === "string" && isObject(value.metadata)
    ? [field]
    : field.entries().flatMap(([key, child]) => (/template$/i.test(key) ? [] : objectsIn(child)));
}

/** The provider's lists of a kind, and Kubernetes' list of any kinds. */
const LIST = /^kubernetes:(.+):([A-Za-z0-9]*)List$/;
const listOf = askedOnce((type) => LIST.exec(type));

/** `core/v1` for `v1`, as in type tokens. */
function coreGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`;
}

export function toResource(facts: ResourceFacts, unknownPaths: Set<string>): Resource {
  const { type, name, urn, props } = facts;
  return {
    type,
    name,
    urn,
    ...objectOf(type),
    props: new Field(snapshot(props), props === UNKNOWN ? `${type} "${name}"` : "", unknownPaths),
    protect: new Field(facts.opts.protect, "option protect", unknownPaths),
    secretInputs: facts.secretInputs,
    dependenciesOf: (property) => facts.propertyDependencies?.[property]?.map((dependency) => dependency.urn),
  };
}

const objectOf = askedOnce((type): Pick<Resource, "kind" | "isPatch"> => {
  const [, kind, patch] = KUBERNETES_OBJECT.exec(type) ?? [];
  return { kind, isPatch: patch !== undefined };
});

/** `Deployment "model-chat/chat"` for Kubernetes objects, `aws:s3/bucket:Bucket "models"` for others. */
export function describeResource({ kind: objectKind, isPatch, type, name, props }: Resource): string {
  const kind = objectKind && isPatch ? `${objectKind}Patch` : objectKind;
  const metadata = props.get("metadata").value;
  const objectName = nameIn(metadata, "name");
  if (kind === undefined || objectName === undefined) {
    return `${kind ?? type} "${name}"`;
  }
  const namespace = nameIn(metadata, "namespace");
  return `${kind} "${namespace === undefined ? objectName : `${namespace}/${objectName}`}"`;
}

function nameIn(metadata: Field["value"], key: "name" | "namespace"): string | undefined {
  const value = metadata !== null && typeof metadata === "object" ? Reflect.get(metadata, key) : undefined;
  return typeof value === "string" ? value : undefined;
}

export function namespaceOf(resource: Resource): Field {
  return HELM_CHART.test(resource.type) ? resource.props.get("namespace") : resource.props.get("metadata", "namespace");
}
