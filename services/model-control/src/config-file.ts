import { readFileSync } from "node:fs";
import { distance } from "fastest-levenshtein";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { messageOf } from "./errors";

/** Invalid configuration file. The message is formatted for a terminal. */
export class ConfigError extends Error {}

/** Subset of a field's JSON schema, for messages. */
interface Field {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly items?: Field;
}

/**
 * Reads a YAML or JSON file and validates it against `schema`.
 *
 * @throws ConfigError when the file cannot be read or parsed, or with all schema violations.
 */
export function checkFile<T extends z.ZodType>(path: string, schema: T): z.output<T> {
  const { document, content, lines } = parseFile(path);
  const result = schema.safeParse(content);
  if (result.success) {
    return result.data;
  }
  const whole = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Field;
  const problems = result.error.issues.flatMap((issue) =>
    describe(issue, content, fieldAt(whole, issue.path)).map(({ at, text }) => {
      const line = lineOf(document, lines, at);
      return line === undefined ? text : `line ${line}: ${text}`;
    }),
  );
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  throw new ConfigError(`${path}: ${count}\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
}

interface ParsedFile {
  readonly document: Document;
  /** Its plain data. */
  readonly content: unknown;
  readonly lines: LineCounter;
}

function parseFile(path: string): ParsedFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(readFileSync(path, "utf8"), { lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) {
      throw error;
    }
    // Resolves aliases, which may be undefined.
    return { document, content: document.toJS(), lines };
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

interface Problem {
  readonly at: readonly PropertyKey[];
  readonly text: string;
}

function describe(issue: z.core.$ZodIssue, content: unknown, field: Field | undefined): Problem[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    const keys = Object.keys(field?.properties ?? {});
    return issue.keys.map((key) => {
      const meant = nearest(key, keys);
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      return { at: [...path, key], text: `${nameOf([...path, key])} is no key; allowed: ${keys.join(", ")}${hint}` };
    });
  }
  return [
    { at: path, text: `${nameOf(path)} is ${show(valueAt(content, path), path)}; allowed: ${allowed(issue, field)}` },
  ];
}

function allowed(issue: z.core.$ZodIssue, field: Field | undefined): string {
  if (issue.code === "invalid_value") {
    return issue.values.map(String).join(", ");
  }
  if (issue.code !== "invalid_type") {
    return issue.message;
  }
  const keys = Object.keys(field?.properties ?? {});
  switch (issue.expected) {
    case "string":
      return "text";
    case "int":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
      return keys.length > 0 ? `a mapping with the keys ${keys.join(", ")}` : "a mapping";
    default:
      return `a value of type ${issue.expected}`;
  }
}

/** Similar known key. */
function nearest(key: string, keys: readonly string[]): string | undefined {
  const near = (candidate: string) => distance(key.toLowerCase(), candidate.toLowerCase());
  const [first] = [...keys].sort((a, b) => near(a) - near(b));
  return first !== undefined && near(first) <= Math.max(1, Math.round(key.length * 0.4)) ? first : undefined;
}

function nameOf(path: readonly PropertyKey[]): string {
  const name = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return name.replace(/^\./, "") || "the file";
}

function fieldAt(whole: Field, path: readonly PropertyKey[]): Field | undefined {
  return path.reduce<Field | undefined>(
    (field, part) => (typeof part === "number" ? field?.items : field?.properties?.[String(part)]),
    whole,
  );
}

/** For a missing key, the line of its parent. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) {
      return lines.linePos(node.range[0]).line;
    }
  }
  return undefined;
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    content,
  );
}

/** Formats a value as YAML input. Hides values below secret keys, and credentials in URLs. */
function show(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined || value === null) {
    return "nothing";
  }
  if (/^key$|sha256|password|token/i.test(String(path.at(-1)))) {
    return "(hidden)";
  }
  if (typeof value === "object") {
    return Array.isArray(value) ? `a list of ${value.length}` : "a mapping";
  }
  return JSON.stringify(value)
    .slice(0, 120)
    .replace(/(?<=:\/\/)[^/@\s]*(?=@)/g, "(hidden)");
}
