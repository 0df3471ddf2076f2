/**
 * Terms of other projects (charts, Kubernetes, Terraform) and their meaning here: rows of
 * foreign-words.json.
 */
import { unservedByTask } from "../../catalog/unserved-models";
import { folded } from "./core/near-names";
import { type Path, valueAt } from "./core/problems";
import { type FieldSchema, fieldAt, printable } from "./field-text";
import table from "./foreign-words.json";

/** Advice for a term. */
export interface Meaning {
  /** Why it does not exist here. @default allowed values */
  readonly why?: string;
  readonly fix: string;
}

interface Row {
  /** Paths of mappings or keys; `*` is any name. */
  readonly in: readonly string[];
  readonly words: readonly string[];
  readonly key?: string;
  readonly note?: string;
  readonly why?: string;
  readonly fix?: string;
}

const KEYS: readonly Row[] = table.keys;
const VALUES: readonly Row[] = table.values;

/** @param parent mapping with the word as key. */
export function foreignKey(parent: Path, word: string, values: unknown): Meaning | undefined {
  const row = rowOf(KEYS, parent, word);
  if (row?.key === undefined) {
    return row && meaningOf(row);
  }
  const { fix, field } = moved(parent, word, row.key.split("."), values);
  return { fix: field === undefined || row.note === undefined ? fix : `${fix}; ${row.note}` };
}

/** @param path of the key with the word as value. */
export function foreignValue(path: Path, value: unknown): Meaning | undefined {
  const unserved = typeof value === "string" && matches(path)("models.*.task") ? unservedByTask(value) : undefined;
  if (unserved !== undefined) {
    return { why: `${unserved.kind} is not served: ${unserved.why}`, fix: unserved.fix };
  }
  const row = typeof value === "string" || typeof value === "boolean" ? rowOf(VALUES, path, `${value}`) : undefined;
  return row && meaningOf(row);
}

function meaningOf({ why, fix = "remove it" }: Row): Meaning {
  return { fix, ...(why !== undefined && { why }) };
}

function rowOf(rows: readonly Row[], path: Path, word: string): Row | undefined {
  return rows.find((row) => row.words.some((each) => folded(each) === folded(word)) && row.in.some(matches(path)));
}

function matches(path: Path): (pattern: string) => boolean {
  return (pattern) => {
    const parts = pattern === "" ? [] : pattern.split(".");
    return parts.length === path.length && parts.every((part, index) => part === "*" || part === path[index]);
  };
}

/** The value under the right key of the same mapping. */
function moved(
  parent: Path,
  word: string,
  key: Path,
  values: unknown,
): { readonly fix: string; readonly field?: FieldSchema } {
  const field = fieldAt([...parent, ...key], values);
  const name = key.join(".");
  if (field === undefined) {
    return { fix: "remove it: the engine of this model has no such setting" };
  }
  if (valueAt(values, [...parent, ...key]) !== undefined) {
    return { field, fix: `remove it: ${name} is written already, and means the same` };
  }
  const text = `${key[key.length - 1]}: ${printable(field, valueAt(values, [...parent, word]))}`;
  const [block] = key;
  if (key.length === 1) {
    return { field, fix: `write ${text} in its place` };
  }
  return valueAt(values, [...parent, block ?? ""]) === undefined
    ? { field, fix: `write ${block}: {${text}} in its place` }
    : { field, fix: `add ${text} to ${block}, and remove ${word} here` };
}
