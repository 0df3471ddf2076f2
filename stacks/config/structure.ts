/** Structural problems from zod in our words, and the rest of a section without them. */
import type { z } from "zod";
import { type Path, type ProblemDraft, suggest, valueAt } from "./core/problems";
import { correctedFraction, correctedNumber, correctedPercent, correctedText, quoted } from "./corrections";
import { allowedText, exampleText, type FieldSchema, fieldAt, flowYaml } from "./field-text";
import { foreignValue } from "./foreign-words";
import { knownMistake } from "./known-mistakes";
import { type PlainIssue, plainIssues } from "./union-issues";
import { unknownKeys } from "./unknown-keys";

/** Several for several unknown keys. */
export function draftsOf(issue: PlainIssue, input: unknown): ProblemDraft[] {
  const path = issue.path as Path;
  const known = knownMistake(path, input);
  if (known !== undefined) {
    return [known];
  }
  if (issue.code === "unrecognized_keys") {
    return unknownKeys(path, issue.keys, input);
  }
  if (issue.code === "invalid_key") {
    return [invalidName(path)];
  }
  const value = valueAt(input, path);
  const field = fieldAt(path, input);
  const foreign = foreignValue(path, value);
  const allowed = allowedText(field);
  if (foreign !== undefined) {
    const { why, fix } = foreign;
    return [{ path, value, allowed: why === undefined ? allowed : `${allowed}: ${why}`, fix }];
  }
  return [{ path, value, allowed, fix: fixFor(path, value, field) }];
}

/** Of pools, models or labels. */
function invalidName(path: Path): ProblemDraft {
  const name = String(path[path.length - 1] ?? "");
  const names = fieldAt(path.slice(0, -1))?.propertyNames;
  const allowed = allowedText(names);
  const [, host = ""] = /^[a-z]+:\/\/([^/]+)/.exec(name.toLowerCase()) ?? [];
  if (host !== "" && names?.pattern !== undefined && new RegExp(names.pattern).test(host)) {
    return { path, value: name, allowed, fix: `rename it to ${host}` };
  }
  const simplified = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return { path, value: name, allowed, fix: simplified ? `rename it, for example to ${simplified}` : "rename it" };
}

function fixFor(path: Path, value: unknown, field: FieldSchema | undefined): string {
  const key = path[path.length - 1];
  const example = exampleText(field);
  if (value === undefined) {
    return example === undefined ? "add it" : `add it, for example ${key}: ${example}`;
  }
  const numeric = field?.type === "integer" || field?.type === "number";
  const correction = field && correctionOf(field, value);
  if (correction !== undefined) {
    return correction;
  }
  const bound = numeric && typeof value === "number" ? nearestBound(value, field) : undefined;
  const use = bound === undefined ? example : String(bound);
  const byDefault = field?.default === undefined ? undefined : flowYaml(field.default);
  const choices = [
    use !== undefined && use !== byDefault ? `write for example ${use}` : undefined,
    byDefault === undefined ? undefined : `remove it for the default${byDefault === "{}" ? "s" : `, ${byDefault}`}`,
  ].filter((choice) => choice !== undefined);
  return choices.length > 0 ? choices.join(", or ") : `write ${allowedText(field)}`;
}

/** Likely intention, if the value shows it. */
function correctionOf(field: FieldSchema, value: unknown): string | undefined {
  const part =
    typeof value === "number" ? (correctedFraction(field, value) ?? correctedPercent(field, value)) : undefined;
  if (part !== undefined) {
    return `write ${part}`;
  }
  if (typeof value !== "string") {
    const text = quoted(field, value);
    // 1.10 arrives as a number.
    const isRounded = typeof value === "number" && !Number.isInteger(value);
    return text === undefined
      ? undefined
      : isRounded
        ? "put quotes around it, as it is written"
        : `put it in quotes: ${text}`;
  }
  if (field.type === "integer" || field.type === "number") {
    const number = correctedNumber(field, value);
    return number === undefined ? undefined : `write ${number}${String(number) === value ? " without quotes" : ""}`;
  }
  if (field.notTaken && Object.hasOwn(field.notTaken, value)) {
    return field.notTaken[value];
  }
  if (field.type === "array") {
    return `write it as a list: [${flowYaml(value)}]`;
  }
  const text = correctedText(field, value);
  const meant = suggest(value, (field.enum ?? []).map(String), text === undefined ? "" : `write ${text}`);
  return meant === "" ? undefined : meant;
}

function nearestBound(value: number, { minimum, maximum }: { minimum?: number; maximum?: number }): number | undefined {
  if (minimum !== undefined && value < minimum) {
    return minimum;
  }
  return maximum !== undefined && value > maximum ? maximum : undefined;
}

/**
 * Parses the valid parts of a section, so that rules between fields run despite wrong fields:
 * faulty values are removed, and owners of missing ones. A misspelt tag counts as intended; unions
 * without a clear tag are removed whole.
 *
 * @param name of the section.
 * @returns undefined when nothing useful is left.
 */
export function parseWhatIsRight(name: string, schema: z.ZodType, section: unknown): unknown {
  const rest = { [name]: structuredClone(section) };
  for (;;) {
    const result = schema.safeParse(rest[name]);
    if (result.success) {
      return result.data;
    }
    const issues = result.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
    // Decided before any change, so that two issues of one value remove only that value.
    const changes = plainIssues(issues, rest).flatMap((issue) => changesFor(issue, rest));
    for (const { path, value } of changes) {
      if (path.length <= 1) {
        return undefined;
      }
      const owner = valueAt(rest, path.slice(0, -1));
      if (typeof owner === "object" && owner !== null) {
        const key = path[path.length - 1] ?? "";
        value === undefined ? Reflect.deleteProperty(owner, key) : Reflect.set(owner, key, value);
      }
    }
  }
}

/** Undefined removes the value. */
interface Change {
  readonly path: Path;
  readonly value?: string;
}

function changesFor(issue: PlainIssue, root: unknown): Change[] {
  const path = issue.path as Path;
  switch (issue.code) {
    case "unknown_tag":
      return issue.meant === undefined
        ? [{ path: removable(root, path.slice(0, -1)) }]
        : [{ path, value: issue.meant }];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key] }));
    default:
      return [{ path: removable(root, path) }];
  }
}

/** The path, or its nearest existing parent: owner of a missing value, list of an item. */
function removable(root: unknown, path: Path): Path {
  const item = path.findIndex((key) => typeof key === "number");
  let target = item === -1 ? path : path.slice(0, item);
  while (target.length > 0 && valueAt(root, target) === undefined) {
    target = target.slice(0, -1);
  }
  return target;
}
