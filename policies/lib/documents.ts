import { parseAllDocuments } from "yaml";
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

/** Of a key that is there twice the last counts, as for Kubernetes. */
function parsed(text: string): { readonly documents: Value[]; readonly isWhole: boolean } {
  try {
    const all = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
    const documents = Array.isArray(all) ? all.filter(({ errors }) => errors.length === 0) : [];
    return { documents: documents.map((each) => snapshot(each.toJS())), isWhole: documents.length === all.length };
  } catch {
    // More references than the parser follows.
    return { documents: [], isWhole: false };
  }
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
