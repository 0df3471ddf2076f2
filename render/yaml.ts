import { stringify } from "yaml";
import { isRecord } from "./kubernetes-object";

/** Keys that a reader looks for first; all others follow by name. */
const FIRST = ["apiVersion", "kind", "metadata", "name", "namespace"];

/**
 * One YAML document whose bytes depend only on its content: sorted keys, no line folding, no anchors, LF. Scripts
 * are literal blocks. Strings that YAML 1.1 takes for something else (`on`, `1e3`, `0o7`) are quoted, because kubectl
 * still reads some of 1.1.
 */
export function toYaml(value: unknown): string {
  return stringify(sorted(value), {
    version: "1.2",
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
    blockQuote: "literal",
    lineWidth: 0,
    indentSeq: false,
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (!isRecord(value)) {
    return value;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  // A Map keeps its order: an object would put keys that look like numbers first.
  return new Map(entries.map(([key, item]) => [key, sorted(item)]));
}

function placeOf(key: string): number {
  const place = FIRST.indexOf(key);
  return place === -1 ? FIRST.length : place;
}
