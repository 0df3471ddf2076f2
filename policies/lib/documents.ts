import { parseAllDocuments, type Tags } from "yaml";
import { askedOnce } from "./asked-once";
import { tooLargeToRead } from "./bounds";
import { type Field, isObject, snapshot, UNKNOWN, type Value } from "./field";

/**
 * Documents of YAML or JSON in a field's text; none where it is neither. What a template puts in is unknown, as far as the rest can be
 * read; what is too large to read leaves the result undecided.
 */
export function documentsIn(field: Field): Field[] {
  const text = readable(field);
  return text === undefined ? [] : documentsOf(text).map((document) => field.containing(document));
}

/** The text of a field, where it can be parsed. */
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

/** Tags of YAML 1.1 that Kubernetes' reader has as text (`timestamp`, sexagesimal numbers) or ignores. */
const UNREAD_TAG = /:(timestamp|omap|pairs|set)$/;

/** What Kubernetes' reader has besides: octal numbers of YAML 1.2, and base64 as the text that it is of. */
const MORE_TAGS: Tags = [
  "intOct",
  { tag: "tag:yaml.org,2002:binary", resolve: (text: string) => Buffer.from(text, "base64").toString() },
];

/** As Kubernetes reads it (sigs.k8s.io/yaml): YAML 1.1 with merge keys, whatever a directive says. Of a key that is there twice the last counts. */
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
      // More references than the parser follows, or a merge of what is no object.
      return [];
    }
  });
  return { documents: values, isWhole: values.length === all.length };
}

/** Stands for what a template puts in. */
const PUT_IN = "\u2b1atemplate\u2b1a";

/** Without lines that are templates alone: conditions, loops, blocks. */
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

/** What an operation of a JSON patch (RFC 6902) writes, as the object that it is written to; undefined for what is none. */
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

/** The object of JSON that a field's text is; undefined for any other text. */
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
