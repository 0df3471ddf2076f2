import { cipherProblem } from "./cipher";
import { type ConfigProblem, list, type Path, type ProblemDraft, suggest, toProblem } from "./core/problems";
import { NAMESPACE } from "./core/schema";
import { importedEnvironments } from "./imported-environments";
import { misspeltNamespaces, ownKey } from "./namespace";
import { SECRET_PLACEHOLDER, type Validation, validateConfig } from "./validate";
import { readYaml } from "./yaml-file";

/** `Pulumi.<env>.yaml`, read without Pulumi. */
export type ParsedEnvironmentFile = Validation & {
  /** By full key, as Pulumi passes them: objects as JSON text, secrets as placeholders. */
  readonly config: Readonly<Record<string, string>>;
  /** Full keys. */
  readonly secretKeys: readonly string[];
  /** Pulumi has written the secrets' encryption: `pulumi stack init` was run. */
  readonly hasStack: boolean;
  /** Imported Pulumi ESC environments: their values are not in `config`. */
  readonly imports: readonly string[];
  /** Of a path below our namespace, or its nearest parent, from 1. */
  readonly lineOf: (path: Path) => number | undefined;
};

/** Placeholders that a rehearsal's API server parses. */
const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([[`${NAMESPACE}:registryCredentials`, '{"auths":{}}']]);

/** Pulumi's own keys next to `config`. */
const STACK_KEYS = ["encryptionsalt", "secretsprovider", "encryptedkey"];
const TOP_LEVEL_KEYS = ["config", ...STACK_KEYS, "environment"];

/**
 * For the offline plan. Encrypted values stay closed and count as present.
 *
 * @param text content of `Pulumi.<env>.yaml`.
 * @returns the environment, or every problem with its line. Never throws.
 */
export function parseEnvironmentFile(text: string): ParsedEnvironmentFile {
  const document = readYaml(text, `begin the file with config:, and the keys ${NAMESPACE}:… below it`);
  if (document.problems.length > 0) {
    return {
      ok: false,
      problems: document.problems,
      config: {},
      secretKeys: [],
      imports: [],
      hasStack: false,
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
  const hasStack = STACK_KEYS.some((key) => root[key] !== undefined);
  const rest = { config, secretKeys, imports, hasStack, lineOf };
  return all.length === 0 ? { ...validation, ...rest } : { ok: false, problems: all, ...rest };
}

function byLine(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0);
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

/** Replaces encrypted values (`{secure: …}`, at any place) and records their paths. */
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
