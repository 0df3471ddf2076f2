import { parseAllDocuments, type Tags } from "yaml";
import { askedOnce } from "./asked-once";
import { tooLargeToRead } from "./bounds";
import { type Field, isObject, snapshot, UNKNOWN, type Value } from "./field";

/**
 * YAML or JSON documents in a field's text; none for other text. Template output is unknown; what
 * is too large to parse leaves the result undecided.
 */
export function documentsIn(field: Field): Field[] {
  const text = readable(field);
  return text === undefined ? [] : documentsOf(text).map((document) => field.containing(document));
}

function readable(field: Field): string | undefined {
  const text = field.text();
  const reason = text === undefined ? undefined : tooLargeToRead(text);
  if (reason !== undefined) {
    field.cannotTell(`${field.path} (a text ${reason})`);
  }
  return reason === undefined ? text : undefined;
}

const documentsOf = askedOnce((text): readonly Value[] => {
  const { documents, isWhole } = parsed(text);
  return isWhole || !text.includes("{{") ? documents : parsed(withoutTemplates(text)).documents.map(unknownTemplates);
});

/** YAML 1.1 tags that Kubernetes reads as text (`timestamp`, sexagesimal numbers) or ignores. */
const UNREAD_TAG = /:(timestamp|omap|pairs|set)$/;

/** Further tags of Kubernetes' parser: YAML 1.2 octals, and base64 as its decoded text. */
const MORE_TAGS: Tags = [
  "intOct",
  { tag: "tag:yaml.org,2002:binary", resolve: (text: string) => Buffer.from(text, "base64").toString() },
];

/** sigs.k8s.io/yaml: YAML 1.1 with merge keys, without directives. The last duplicate key wins. */
const AS_KUBERNETES = {
  uniqueKeys: false,
  prettyErrors: false,
  schema: "yaml-1.1",
  merge: true,
  resolveKnownTags: false,
  customTags: (tags: Tags): Tags => [
    ...MORE_TAGS,
    ...tags.filter((tag) => typeof tag === "string" || !(UNREAD_TAG.test(tag.tag) || tag.format === "TIME")),
  ],
} as const;

function parsed(text: string): { readonly documents: Value[]; readonly isWhole: boolean } {
  const all = parseAllDocuments(text, AS_KUBERNETES);
  const documents = Array.isArray(all) ? all.filter(({ errors }) => errors.length === 0) : [];
  const values = documents.flatMap((each): Value[] => {
    try {
      return [snapshot(each.toJS())];
    } catch {
      // Too many aliases for the parser, or a merge of a non-object.
      return [];
    }
  });
  return { documents: values, isWhole: values.length === all.length };
}

const PUT_IN = "\u2b1atemplate\u2b1a";

/** Drops lines of templates only: conditions, loops, blocks. */
function withoutTemplates(text: string): string {
  return text
    .replace(/^[ \t]*(?:\{\{(?:(?!\}\}|\{\{).)*\}\}[ \t]*)+$/gm, "")
    .replace(/\{\{(?:(?!\}\}|\{\{).)*\}\}/g, PUT_IN);
}

function unknownTemplates(value: Value): Value {
  if (Array.isArray(value)) {
    return value.map(unknownTemplates);
  }
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, unknownTemplates(child)]));
  }
  return typeof value === "string" && value.includes(PUT_IN) ? UNKNOWN : value;
}

/** The object that a JSON patch operation (RFC 6902) writes; undefined for other values. */
export function patchIn(value: Value): Value | undefined {
  if (
    !isObject(value) ||
    !/^(add|replace)$/.test(String(value.op)) ||
    typeof value.path !== "string" ||
    !Object.hasOwn(value, "value")
  ) {
    return undefined;
  }
  return value.path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduceRight<Value>((held, key) => (/^(\d+|-)$/.test(key) ? [held] : { [key]: held }), value.value);
}

/** Undefined for other text. */
export function jsonObjectIn(field: Field): Field | undefined {
  const text = /^\s*\{/.test(String(field.value)) ? readable(field) : undefined;
  const json = text === undefined ? undefined : jsonOf(text);
  return json === undefined ? undefined : field.containing(json);
}

const jsonOf = askedOnce((text): Value | undefined => {
  try {
    return snapshot(JSON.parse(text));
  } catch {
    return undefined;
  }
});
