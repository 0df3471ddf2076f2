import { HIDDEN, withoutCredentials } from "./credentials";

export { HIDDEN } from "./credentials";
export { didYouMean, suggest } from "./near-names";

/** Keys from the section down. */
export type Path = readonly (string | number)[];

/** A configuration problem with its fix. All texts are safe to print. */
export interface ConfigProblem {
  /** Joined by dots, without the namespace, for example `pools.gpu.minNodes`. */
  readonly path: string;
  /** As typed; `nothing` when missing, `(hidden)` for secrets. */
  readonly value: string;
  readonly allowed: string;
  readonly fix: string;
  /** One sentence. */
  readonly message: string;
  /** From 1, where the file is known. */
  readonly line?: number;
  /** The path unjoined, to find its line later. */
  readonly keys: Path;
}

/** With a raw value. */
export interface ProblemDraft {
  readonly path: Path;
  readonly value: unknown;
  readonly allowed: string;
  readonly fix: string;
  /** A mistake in the form of one of these may be its cause: then that alone is reported. */
  readonly causes?: readonly Path[];
}

/** An unusable configuration. The message is for terminals; a stack trace adds nothing. */
export class ConfigError extends Error {
  constructor(
    readonly problems: readonly ConfigProblem[],
    file?: string,
  ) {
    super(formatProblems(problems, file));
    this.name = "ConfigError";
  }

  /** With file name and lines. */
  foundIn(file: string, lineOf: (path: Path) => number | undefined): ConfigError {
    return new ConfigError(
      this.problems.map((problem) => ({ ...problem, line: problem.line ?? lineOf(problem.keys) })),
      file,
    );
  }
}

/** Makes a draft printable. `hide` marks possible secrets. */
export function toProblem({ path, value, allowed, fix }: ProblemDraft, hide = false, line?: number): ConfigProblem {
  const where = formatPath(path);
  const shown = hide ? HIDDEN : formatValue(value);
  const message = `${where} is ${shown}; allowed: ${allowed}. ${sentence(fix)}`;
  return { path: where, value: shown, allowed, fix, message, keys: path, ...(line === undefined ? {} : { line }) };
}

/** Several lines for a terminal: value, allowed values and fix of each. */
export function formatProblems(problems: readonly ConfigProblem[], file = "configuration"): string {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const blocks = problems.map(({ path, line, value, allowed, fix }, index) =>
    [
      `  ${index + 1}. ${path}${line === undefined ? "" : ` (line ${line})`}`,
      `     value    ${value}`,
      `     allowed  ${allowed}`,
      `     fix      ${fix}`,
    ].join("\n"),
  );
  return [`${file}: ${count}`, ...blocks].join("\n\n");
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}

/** `pools.gpu.labels["example.com/team"]`, `gateway.consumers[0]`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === "number") {
      return `${text}[${segment}]`;
    }
    if (!/^[\w:-]+$/.test(segment)) {
      return `${text}[${JSON.stringify(shorten(segment))}]`;
    }
    return text === "" ? segment : `${text}.${segment}`;
  }, "");
}

/** Quoted text, `nothing`, or a mapping's keys. Credentials are cut out. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) {
    return "nothing";
  }
  if (typeof value === "string") {
    return JSON.stringify(shorten(withoutCredentials(value)));
  }
  if (Array.isArray(value)) {
    return value.length <= 8 && value.every((item) => typeof item !== "object")
      ? `[${value.map(formatValue).join(", ")}]`
      : `a list of ${value.length}`;
  }
  if (typeof value === "object") {
    const keys = Object.keys(value);
    return keys.length === 0
      ? "an empty mapping"
      : `a mapping with ${shorten(keys.map((key) => JSON.stringify(key)).join(", "))}`;
  }
  return String(value);
}

/**
 * At most twelve names, with the number of others.
 *
 * @param command that prints them all.
 */
export function list(names: readonly string[], command?: string): string {
  if (names.length === 0) {
    return "none yet";
  }
  const rest = names.length - 12;
  const more = command === undefined ? `${rest} more` : `${rest} more (${command})`;
  return names.slice(0, 12).join(", ") + (rest > 0 ? ` and ${more}` : "");
}

function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 97)}...`;
}

function sentence(text: string): string {
  const closed = /[.?!]$/.test(text) ? text : `${text}.`;
  return closed.charAt(0).toUpperCase() + closed.slice(1);
}
