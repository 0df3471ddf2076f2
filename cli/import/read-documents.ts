/** Reads untrusted files as documents with line numbers. */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from "yaml";
import { messageOf } from "../../names/message-of";
import { readTextFile, UnreadableFileError } from "../../stacks/config/text-file";
import type { EnvFiles } from "./compose-env";
import { isMapping, type Path, valueAt } from "./path";

export interface SourceDocument {
  /** As the user named it. */
  readonly file: string;
  /** Origin of a path in a merged document. @default the file and path */
  readonly sourceOf?: (path: Path) => { readonly file: string; readonly path: Path };
  readonly root: Readonly<Record<string, unknown>>;
  /** Files with its variables. @default none */
  readonly envFiles?: EnvFiles;
  /** Line of the path or its nearest parent, from 1. */
  readonly lineOf: (path: Path) => number | undefined;
}

/** The message has name, line and reason. */
export class ImportFileError extends Error {}

/** Recipes and values files have kilobytes. */
const MOST_BYTES = 1024 * 1024;

/** Limits expansion of aliases. */
const MOST_ALIASES = 100;

/** Deeper than any published format. */
const DEEPEST = 64;

/** Keys that change the object they are set on. */
const FORBIDDEN_KEYS = ["__proto__", "constructor", "prototype"];

/**
 * A YAML stream, or JSON, which is YAML.
 * @throws ImportFileError with the line
 */
export function readDocuments(file: string, path: string): SourceDocument[] {
  return documentsOf(file, readText(file, path));
}

function readText(file: string, path: string): string {
  try {
    return readTextFile(path, MOST_BYTES);
  } catch (error) {
    if (error instanceof UnreadableFileError) {
      throw new ImportFileError(`${file}: it ${error.message}`);
    }
    throw error;
  }
}

/** @throws ImportFileError */
export function documentsOf(file: string, text: string): SourceDocument[] {
  const lines = new LineCounter();
  const refuse = (offset: number, why: string): never => {
    throw new ImportFileError(`${file}, line ${lines.linePos(offset).line}: ${why}`);
  };
  if (text.includes("\0")) {
    throw new ImportFileError(`${file}: it is no text in UTF-8; give a YAML or JSON file`);
  }
  const broken = text.indexOf("\ufffd");
  if (broken >= 0) {
    const line = text.slice(0, broken).split("\n").length;
    throw new ImportFileError(`${file}, line ${line}: a character is not UTF-8; write the file in UTF-8`);
  }
  const parsed = parsedOf(file, text, lines);
  return parsed.flatMap((document): SourceDocument[] => {
    const [error] = document.errors;
    if (error !== undefined) {
      const isDeep = error.message.includes("call stack");
      refuse(error.pos[0], isDeep ? `nested deeper than ${DEEPEST} levels` : withFix(error.message, text));
    }
    if (!isNode(document.contents) || (isScalar(document.contents) && document.contents.value === null)) {
      return [];
    }
    const { contents } = document;
    checkNodes(contents, (node, why) => refuse(node.range?.[0] ?? 0, why), text);
    readBooleans(contents);
    const root = plainOf(file, () => document.toJS({ maxAliasCount: MOST_ALIASES }));
    if (!isMapping(root)) {
      return refuse(contents.range?.[0] ?? 0, "a document of an importable file is a mapping of keys");
    }
    if (!fits(root)) {
      return refuse(contents.range?.[0] ?? 0, "its aliases repeat too much; write their values out");
    }
    const name = valueAt(root, ["metadata", "name"]);
    if (typeof name === "string" && name.includes("{{")) {
      refuse(contents.range?.[0] ?? 0, withFix(`metadata.name is ${name}`, text));
    }
    const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
    return [{ file, root, lineOf: (path) => lineAt(contents, path, lines, pairs) }];
  });
}

function withFix(reason: string, text: string): string {
  return text.includes("{{")
    ? `${reason}; a template is rendered first: helm template, or helm get manifest`
    : `${reason}; correct the file there`;
}

function parsedOf(file: string, text: string, lines: LineCounter) {
  try {
    const parsed = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      logLevel: "error",
      // The parser compares keys pairwise; checkNodes needs one pass.
      uniqueKeys: false,
    });
    return "empty" in parsed ? [] : parsed;
  } catch (error) {
    throw new ImportFileError(`${file}: it cannot be read as YAML: ${messageOf(error)}`);
  }
}

function plainOf(file: string, convert: () => unknown): unknown {
  try {
    return convert();
  } catch (error) {
    throw new ImportFileError(`${file}: it cannot be read as YAML: ${messageOf(error)}`);
  }
}

/** Plain values, and Compose's tags that revert another file's value. */
const TAGS = /^(!|!reset|!override|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq|merge))$/;

function checkNodes(contents: Node, refuse: (node: Node, why: string) => never, text: string): void {
  let aliases = 0;
  visit(contents, {
    Node: (_key, node, path) => {
      if (path.length > 2 * DEEPEST) {
        refuse(node, `nested deeper than ${DEEPEST} levels`);
      }
      if (isAlias(node)) {
        aliases += 1;
        if (aliases > MOST_ALIASES) {
          refuse(node, `more than ${MOST_ALIASES} aliases; write their values out`);
        }
      } else if (node.tag !== undefined && !TAGS.test(node.tag)) {
        refuse(node, `the tag ${node.tag} is not read; write the value without it`);
      } else if (isMap(node)) {
        checkKeys(node, refuse, text);
      }
    },
  });
}

/** Unique, except merge keys. */
function checkKeys(map: YAMLMap, refuse: (node: Node, why: string) => never, text: string): void {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    if (isNode(key) && !isScalar(key)) {
      refuse(key, withFix("a key is neither a mapping, a list nor an alias", text));
    }
    if (!isScalar(key)) {
      continue;
    }
    const name = String(key.value);
    if (FORBIDDEN_KEYS.includes(name)) {
      refuse(key, `the key ${name} is not allowed; remove it`);
    }
    if (seen.has(name) && name !== "<<") {
      refuse(key, `the key ${name} appears twice; keep one of them`);
    }
    seen.add(name);
  }
}

/** Booleans of YAML 1.1, which Helm and Kubernetes use. */
const BOOLEANS = /^(?:(y|yes|on)|n|no|off)$/i;

/** Unquoted only. Compose files use YAML 1.2. */
function readBooleans(contents: Node): void {
  if (isMap(contents) && contents.has("services")) {
    return;
  }
  visit(contents, {
    Scalar: (key, node) => {
      const [word, yes] =
        node.type === "PLAIN" && typeof node.value === "string" ? (BOOLEANS.exec(node.value) ?? []) : [];
      if (word !== undefined && key !== "key") {
        node.value = yes !== undefined;
      }
    },
  });
}

/** Whether the expanded document is about as large as a file may be. */
function fits(root: unknown): boolean {
  let left = 2 * MOST_BYTES;
  for (const waiting: unknown[] = [root]; waiting.length > 0 && left > 0; ) {
    const value = waiting.pop();
    left -= typeof value === "string" ? value.length + 1 : 1;
    if (typeof value === "object" && value !== null) {
      left -= Object.keys(value).join("").length;
      for (const each of Object.values(value)) {
        waiting.push(each);
      }
    }
  }
  return left > 0;
}

function lineAt(
  contents: Node,
  path: Path,
  lines: LineCounter,
  pairs: WeakMap<YAMLMap, ReadonlyMap<string, Pair>>,
): number | undefined {
  let node: unknown = contents;
  let offset = contents.range?.[0];
  for (const key of path) {
    if (isMap(node)) {
      const pair = pairsOf(node, pairs).get(String(key));
      offset = (isNode(pair?.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair?.value;
    } else if (isSeq(node) && typeof key === "number") {
      node = node.items[key];
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset;
    } else {
      break;
    }
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function pairsOf(map: YAMLMap, all: WeakMap<YAMLMap, ReadonlyMap<string, Pair>>): ReadonlyMap<string, Pair> {
  const known = all.get(map);
  if (known !== undefined) {
    return known;
  }
  const made = new Map(
    map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair as Pair]] : [])),
  );
  all.set(map, made);
  return made;
}
