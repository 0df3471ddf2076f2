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
import { cipherProblem } from "./cipher";
import { type ConfigProblem, list, type Path, type ProblemDraft, suggest, toProblem } from "./core/problems";
import { NAMESPACE } from "./core/schema";
import { importedEnvironments } from "./imported-environments";
import { misspeltNamespaces, ownKey } from "./namespace";
import { SECRET_PLACEHOLDER, type Validation, validateConfig } from "./validate";

/** What `Pulumi.<env>.yaml` says, read without Pulumi. */
export type ParsedEnvironmentFile = Validation & {
  /** Values by full key, as Pulumi hands them to a program: objects as JSON text, secrets as placeholders. */
  readonly config: Readonly<Record<string, string>>;
  /** Full keys of the encrypted values. */
  readonly secretKeys: readonly string[];
  /** Pulumi ESC environments that the file imports: their values are not in `config`. */
  readonly imports: readonly string[];
  /** Line of a path below our namespace, or of the nearest thing above it, from 1. */
  readonly lineOf: (path: Path) => number | undefined;
};

/** Placeholders of secrets that the API server of a rehearsal parses. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([[`${NAMESPACE}:registryCredentials`, '{"auths":{}}']]);

/** What Pulumi itself writes beside `config`. */
const TOP_LEVEL_KEYS = ["config", "encryptionsalt", "secretsprovider", "encryptedkey", "environment"];

/**
 * Reads an environment file for the offline plan. Encrypted values stay closed: they count as present.
 *
 * @param text content of `Pulumi.<env>.yaml`.
 * @returns the environment, or every problem with its line. Never throws.
 */
export function parseEnvironmentFile(text: string): ParsedEnvironmentFile {
  const document = readYaml(text);
  if (document.problems.length > 0) {
    return {
      ok: false,
      problems: document.problems,
      config: {},
      secretKeys: [],
      imports: [],
      lineOf: () => undefined,
    };
  }
  const { root } = document;
  const lineOf = ([key = "", ...rest]: Path) => document.lineOf(["config", `${NAMESPACE}:${key}`, ...rest]);
  const imports = importedEnvironments(root.environment);
  const entries = entriesOf(root.config);
  const problems = [...topLevelProblems(root), ...keyProblems(entries)].map((draft) => {
    return toProblem(draft, false, document.lineOf(draft.path));
  });

  const config: Record<string, string> = {};
  const secretKeys: string[] = [];
  const values: Record<string, unknown> = {};
  const encrypted = new Set<string>();
  const nestedSecrets: Path[] = [];
  for (const [key, value] of entries) {
    const found: Path[] = [];
    const open = withPlaceholders(value, [], found);
    const unencrypted = cipherProblem(["config", key], value);
    if (unencrypted) {
      problems.push(toProblem(unencrypted, true, document.lineOf(unencrypted.path)));
    }
    const closed = open === SECRET_PLACEHOLDER ? PLACEHOLDERS.get(key) : undefined;
    config[key] = closed ?? (typeof open === "object" && open !== null ? JSON.stringify(open) : String(open ?? ""));
    if (found.length > 0) {
      secretKeys.push(key);
    }
    const ours = ownKey(key);
    if (ours === undefined) {
      continue;
    }
    values[ours] = open;
    for (const path of found) {
      if (path.length === 0) {
        encrypted.add(ours);
      } else {
        nestedSecrets.push([ours, ...path]);
      }
    }
  }

  const validation = validateConfig({
    values,
    encrypted,
    nestedSecrets,
    imports,
    lineOf,
  });
  const all = [...problems, ...(validation.ok ? [] : validation.problems)].sort(byLine);
  const rest = { config, secretKeys, imports, lineOf };
  return all.length === 0 ? { ...validation, ...rest } : { ok: false, problems: all, ...rest };
}

function byLine(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0);
}

/** One slip makes many errors further down; nobody reads past the first ones. */
const MAX_SYNTAX_ERRORS = 5;

/** Some thousand models, each with every key. */
const MAX_CHARACTERS = 1_000_000;

/** What to do about the slips that have a name of their own. */
const SYNTAX_FIXES: Readonly<Partial<Record<ErrorCode, (where: string) => string>>> = {
  DUPLICATE_KEY: (where) => `keep one of the two keys at ${where}`,
  TAB_AS_INDENT: (where) => `indent with spaces instead of tabs, from ${where} on`,
};

interface YamlFile {
  readonly root: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  readonly lineOf: (path: Path) => number | undefined;
}

function readYaml(text: string): YamlFile {
  const lines = new LineCounter();
  const unreadable = (value: string, fix: string): YamlFile => ({
    root: {},
    problems: [toProblem({ path: ["file"], value, allowed: "one YAML mapping", fix })],
    lineOf: () => undefined,
  });
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
      return { root: {}, problems, lineOf: () => undefined };
    }
    const root: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof root !== "object" || root === null || Array.isArray(root)) {
      const found = text.trim() === "" ? "an empty file" : "no mapping of keys";
      return unreadable(found, `begin the file with config:, and the keys ${NAMESPACE}:… below it`);
    }
    if (holdsItself(root)) {
      return unreadable("an alias of what it stands in", "replace the alias (*…) by what it should hold");
    }
    const pairsOf = pairIndex();
    return {
      root: root as Record<string, unknown>,
      problems: [],
      lineOf: (path) => lineAt(document.contents, path, lines, pairsOf),
    };
  } catch (error) {
    // Alias bombs, and nesting deeper than the stack.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable("not readable as YAML", `simplify the file: ${reason}`);
  }
}

function holdsItself(value: unknown, above = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  if (above.has(value)) {
    return true;
  }
  above.add(value);
  const found = Object.values(value).some((child) => holdsItself(child, above));
  above.delete(value);
  return found;
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

/** Line of the key at a path, or of the nearest one above it. */
function lineAt(contents: unknown, path: Path, lines: LineCounter, pairsOf: PairsOf): number | undefined {
  let node: Node | undefined = isNode(contents) ? contents : undefined;
  let offset: number | undefined;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(segment));
      if (!pair) {
        break;
      }
      offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = isNode(pair.value) ? pair.value : undefined;
    } else {
      break;
    }
    if (isAlias(node)) {
      break;
    }
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

function topLevelProblems(root: Readonly<Record<string, unknown>>): ProblemDraft[] {
  const unknown = Object.keys(root).filter((key) => !TOP_LEVEL_KEYS.includes(key));
  const problems = unknown.map((key): ProblemDraft => {
    const move = key.includes(":") ? "indent it under config:" : "move it under config:, or remove it";
    return {
      path: [key],
      value: key,
      allowed: `the keys ${list(TOP_LEVEL_KEYS)}`,
      fix: suggest(key, TOP_LEVEL_KEYS, move),
    };
  });
  const { config } = root;
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    const fix = `write config:, and indented below it ${NAMESPACE}:cluster: and the other keys`;
    problems.push({ path: ["config"], value: config, allowed: "a mapping of keys", fix });
  }
  return problems;
}

function keyProblems(entries: readonly (readonly [string, unknown])[]): ProblemDraft[] {
  const keys = entries.map(([key]) => key);
  const bare = keys.filter((key) => !key.includes(":"));
  return [
    ...bare.map((key) => ({
      path: ["config", key],
      value: key,
      allowed: "keys with a namespace",
      fix: `write ${NAMESPACE}:${key}`,
    })),
    ...misspeltNamespaces(keys, ["config"]),
  ];
}

function entriesOf(config: unknown): [string, unknown][] {
  return typeof config === "object" && config !== null && !Array.isArray(config) ? Object.entries(config) : [];
}

/** Replaces encrypted values (`{secure: …}`, wherever they stand) and notes where they were. */
function withPlaceholders(value: unknown, path: Path, found: Path[]): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => withPlaceholders(item, [...path, index], found));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === "secure") {
    found.push(path);
    return SECRET_PLACEHOLDER;
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, withPlaceholders(item, [...path, key], found)]));
}
