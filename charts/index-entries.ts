import { parse } from "yaml";
import { withoutV } from "./archive";

/** A version of a chart in the index of a repository. */
export interface IndexEntry {
  readonly version: string;
  readonly digest?: string;
  readonly urls?: readonly string[];
}

/** As many as messages name. */
const FIRST = 5;

/** Of an index that must be parsed whole, for which the parser takes two seconds and 60 times the memory for each MiB: half a minute. */
const LARGEST_PARSED = 8 * 2 ** 20;

/**
 * What an index says of a version of a chart, and its first ones. Of an index as Helm writes it only their lines are parsed: some have
 * megabytes, for which a parser of all of YAML takes a minute.
 *
 * @param text content of `index.yaml`.
 * @throws Error for what is no YAML, or is large and not laid out as Helm writes it.
 */
export function entriesOf(text: string, chart: string, version: string): readonly IndexEntry[] {
  const lines = linesOf(text, chart, version);
  const quick = lines === undefined ? undefined : listIn(() => parse(lines), chart);
  if (quick === undefined && text.length > LARGEST_PARSED) {
    throw new Error(`an index of more than ${LARGEST_PARSED} bytes is not laid out as \`helm repo index\` does`);
  }
  return quick ?? listIn(() => Object(parse(text)).entries, chart, true) ?? [];
}

/** The list under a chart's name; undefined where there is none, or where it cannot be parsed and somebody else tries again. */
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

/** The chart's key with the items that have the version, and the first ones; undefined where the index is not laid out as Helm does. */
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
