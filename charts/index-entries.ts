import { parse } from "yaml";
import { withoutV } from "./archive";

export interface IndexEntry {
  readonly version: string;
  readonly digest?: string;
  readonly urls?: readonly string[];
}

/** Limit of versions in messages. */
const FIRST = 5;

/**
 * Size limit for full parsing, which takes two seconds and 60 times the memory per MiB: half a
 * minute.
 */
const LARGEST_PARSED = 8 * 2 ** 20;

/**
 * Index entries of a chart version, and its first versions. Parses only their lines if in Helm's
 * layout: full parsing of some indexes takes a minute.
 *
 * @param text content of `index.yaml`.
 * @throws Error for invalid YAML, or a large index in another layout.
 */
export function entriesOf(text: string, chart: string, version: string): readonly IndexEntry[] {
  const lines = linesOf(text, chart, version);
  const quick = lines === undefined ? undefined : listIn(() => parse(lines), chart);
  if (quick === undefined && text.length > LARGEST_PARSED) {
    throw new Error(`an index of more than ${LARGEST_PARSED} bytes is not laid out as \`helm repo index\` does`);
  }
  return quick ?? listIn(() => Object(parse(text)).entries, chart, true) ?? [];
}

/** Entries of a chart; undefined if absent, or unparsable before the last attempt. */
function listIn(entries: () => unknown, chart: string, isLast = false): readonly IndexEntry[] | undefined {
  try {
    const all: unknown = entries();
    const list: unknown = Object.hasOwn(Object(all), chart) ? Object(all)[chart] : undefined;
    return Array.isArray(list) ? list.map((entry) => Object(entry) as IndexEntry) : undefined;
  } catch (error) {
    if (isLast) {
      throw error;
    }
    return undefined;
  }
}

/** Chart key with entries of the version and the first ones; undefined in another layout. */
function linesOf(text: string, chart: string, version: string): string | undefined {
  const entries = /^entries:[ \t]*$/m.exec(text);
  const key = entries && new RegExp(`^  (["']?)${escaped(chart)}\\1:[ \\t]*\\n`, "m").exec(text.slice(entries.index));
  if (!entries || !key) {
    return undefined;
  }
  const below = text.slice(entries.index + key.index + key[0].length);
  const end = below.search(/^ {0,2}[^\s#-]/m);
  const list = end < 0 ? below : below.slice(0, end);
  const indent = /^( *)- /.exec(list)?.[1];
  if (indent === undefined) {
    return undefined;
  }
  const items = list.split(new RegExp(`^(?=${indent}- )`, "m"));
  const hasVersion = new RegExp(`^[ -]+version: *["']?v?${escaped(withoutV(version))}["']?[ \\t]*(?: #.*)?$`, "m");
  return key[0] + items.filter((item, i) => i < FIRST || hasVersion.test(item)).join("");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
