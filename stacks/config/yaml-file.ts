/** Files of YAML that people write: what they say, where it stands, and what is wrong with them as YAML. */
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

/** One slip makes many errors further down; nobody reads past the first ones. */
const MAX_SYNTAX_ERRORS = 5;

/** Some thousand models, each with every key. */
const MAX_CHARACTERS = 1_000_000;

/** What to do about the slips that have a name of their own. */
const SYNTAX_FIXES: Readonly<Partial<Record<ErrorCode, (where: string) => string>>> = {
  DUPLICATE_KEY: (where) => `keep one of the two keys at ${where}`,
  TAB_AS_INDENT: (where) => `indent with spaces instead of tabs, from ${where} on`,
};

/** How far a file has a path. */
export interface PlaceInFile {
  /** Keys of the path that are there, from its beginning. */
  readonly depth: number;
  /** Line of the last of them, from 1. */
  readonly line: number;
}

/** A file of one YAML mapping, with its lines. */
export interface YamlFile {
  /** Empty where the file cannot be read. */
  readonly root: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  /** Line of the key at a path, or of the nearest one above it, from 1. */
  readonly lineOf: (path: Path) => number | undefined;
  /** The same with how near it is. Undefined where not even the first key is there. */
  readonly placeOf: (path: Path) => PlaceInFile | undefined;
  /** Paths of mappings' keys below `path` behind whose colon nothing stands. */
  readonly emptyBelow: (path: Path) => readonly Path[];
}

/**
 * Reads a file that a person wrote. Never throws.
 *
 * @param beginning what to do where it holds no mapping at all.
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
    // Pulumi reads merge keys too.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: "error" });
    if (document.errors.length > 0) {
      // One tab breaks every line below it.
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

/** The pairs of a mapping by key. */
type PairsOf = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** Each mapping's pairs, looked through once: there may be as many problems as keys. */
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
