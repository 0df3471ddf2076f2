/** Hand-written YAML: data, positions and syntax errors. */
import {
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { messageOf } from "../../names/message-of";
import { type ConfigProblem, type Path, toProblem } from "./core/problems";
import { toPlain } from "./yaml-references";

/** One slip causes many later errors: only the first ones help. */
const MAX_SYNTAX_ERRORS = 5;

/** Some thousand models with every key. */
const MAX_CHARACTERS = 1_000_000;

/** Fixes for named syntax errors. */
const SYNTAX_FIXES: Readonly<Partial<Record<ErrorCode, (where: string) => string>>> = {
  DUPLICATE_KEY: (where) => `keep one of the two keys at ${where}`,
  TAB_AS_INDENT: (where) => `indent with spaces instead of tabs, from ${where} on`,
};

/** How far a path exists. */
export interface PlaceInFile {
  /** Leading keys present. */
  readonly depth: number;
  /** Of the last, from 1. */
  readonly line: number;
}

/** One YAML mapping with line numbers. */
export interface YamlFile {
  /** Empty for unreadable files. */
  readonly root: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  /** Of a path's key, or its nearest parent, from 1. */
  readonly lineOf: (path: Path) => number | undefined;
  /** With its depth. Undefined where not even the first key exists. */
  readonly placeOf: (path: Path) => PlaceInFile | undefined;
  /** Keys below `path` without a value. */
  readonly emptyBelow: (path: Path) => readonly Path[];
}

/**
 * Never throws.
 *
 * @param beginning advice for files without a mapping.
 */
export function readYaml(text: string, beginning: string): YamlFile {
  const lines = new LineCounter();
  const without = (problems: readonly ConfigProblem[]): YamlFile => ({
    root: {},
    problems,
    lineOf: () => undefined,
    placeOf: () => undefined,
    emptyBelow: () => [],
  });
  const unreadable = (value: string, fix: string): YamlFile =>
    without([toProblem({ path: ["file"], value, allowed: "one YAML mapping", fix })]);
  if (text.length > MAX_CHARACTERS) {
    return unreadable(`${text.length} characters`, `split it: at most ${MAX_CHARACTERS} characters are read`);
  }
  try {
    // Pulumi supports merge keys too.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: "error" });
    if (document.errors.length > 0) {
      // One tab breaks every line below.
      const tab = document.errors.find(({ code }) => code === "TAB_AS_INDENT");
      const told = tab ? [tab] : document.errors.slice(0, MAX_SYNTAX_ERRORS);
      const problems = told.map(({ code, message, pos: [offset] }) => {
        const { line, col } = lines.linePos(offset);
        const fix = SYNTAX_FIXES[code]?.(`line ${line}, column ${col}`) ?? `correct line ${line}, column ${col}`;
        const draft = { path: ["file"], value: message, allowed: "well-formed YAML without duplicate keys", fix };
        return toProblem(draft, false, line);
      });
      return without(problems);
    }
    const converted = toPlain(document, text);
    if ("unresolved" in converted) {
      const { offset, fix, ...draft } = converted.unresolved;
      const { line, col } = lines.linePos(offset);
      return without([
        toProblem({ path: ["file"], ...draft, fix: `${fix} at line ${line}, column ${col}` }, false, line),
      ]);
    }
    const root = converted.plain;
    if (typeof root !== "object" || root === null || Array.isArray(root)) {
      const found = text.trim() === "" ? "an empty file" : "no mapping of keys";
      return unreadable(found, beginning);
    }
    const pairsOf = pairIndex();
    return {
      root: root as Record<string, unknown>,
      problems: [],
      lineOf: (path) => placeAt(document.contents, path, lines, pairsOf)?.line,
      placeOf: (path) => placeAt(document.contents, path, lines, pairsOf),
      emptyBelow: (path) => emptyIn(nodeAt(document.contents, path, pairsOf), path),
    };
  } catch (error) {
    // Nesting deeper than the stack.
    const reason = messageOf(error);
    return unreadable("not readable as YAML", `simplify the file: ${reason}`);
  }
}

/** By key. */
type PairsOf = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** Indexed once: there may be as many problems as keys. */
function pairIndex(): PairsOf {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const pairs =
      known.get(map) ??
      new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])));
    known.set(map, pairs);
    return pairs;
  };
}

function placeAt(contents: unknown, path: Path, lines: LineCounter, pairsOf: PairsOf): PlaceInFile | undefined {
  let node: Node | undefined = isNode(contents) ? contents : undefined;
  let place: { readonly depth: number; readonly offset: number } | undefined;
  for (const [index, segment] of path.entries()) {
    const pair = isMap(node) ? pairsOf(node).get(String(segment)) : undefined;
    if (!pair) {
      break;
    }
    const offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? place?.offset;
    place = offset === undefined ? undefined : { depth: index + 1, offset };
    node = isNode(pair.value) ? pair.value : undefined;
    if (isAlias(node)) {
      break;
    }
  }
  return place && { depth: place.depth, line: lines.linePos(place.offset).line };
}

function nodeAt(contents: unknown, path: Path, pairsOf: PairsOf): unknown {
  return path.reduce<unknown>(
    (node, key) => (isMap(node) ? pairsOf(node).get(String(key))?.value : undefined),
    contents,
  );
}

function emptyIn(node: unknown, path: Path): Path[] {
  if (!isMap(node)) {
    return [];
  }
  return node.items.flatMap(({ key, value }) => {
    const at = [...path, String(isScalar(key) ? key.value : key)];
    const isEmpty = value === null || (isScalar(value) && value.value === null && !value.source);
    return isEmpty ? [at] : emptyIn(value, at);
  });
}
