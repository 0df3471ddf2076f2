/** Structural problems: what zod finds, told in our words, and what is left of a section without them. */
import type { z } from "zod";
import { correctedNumber, correctedText, quoted } from "./corrections";
import { allowedText, exampleText, type FieldSchema, fieldAt, flowYaml, keysOf } from "./field-text";
import { didYouMean, type Path, type ProblemDraft, suggest } from "./problems";

type Issue = z.core.$ZodIssue;

/** Drafts for one issue; several for several unknown keys. */
export function draftsOf(issue: Issue, input: unknown): ProblemDraft[] {
  const path = issue.path as Path;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(path, key));
  }
  if (issue.code === "invalid_key") {
    return [invalidName(path)];
  }
  const value = valueAt(input, path);
  const field = fieldAt(path);
  return [{ path, value, allowed: allowedText(field), fix: fixFor(path, value) }];
}

function unknownKey(parent: Path, key: string): ProblemDraft {
  const keys = keysOf(fieldAt(parent));
  const unused = "remove it: nothing reads it";
  // The key itself is shown, never what stands under it: a misspelt secret is still a secret.
  return {
    path: [...parent, key],
    value: key,
    allowed: `the keys ${keys.join(", ")}`,
    fix: suggest(key, keys, unused),
  };
}

/** A name that breaks the rule of its mapping: of pools, models or labels. */
function invalidName(path: Path): ProblemDraft {
  const name = String(path[path.length - 1] ?? "");
  const allowed = allowedText(fieldAt(path.slice(0, -1))?.propertyNames);
  const simplified = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return { path, value: name, allowed, fix: simplified ? `rename it, for example to ${simplified}` : "rename it" };
}

function fixFor(path: Path, value: unknown): string {
  const field = fieldAt(path);
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

/** What was probably meant, where that can be told from the value. */
function correctionOf(field: FieldSchema, value: unknown): string | undefined {
  if (typeof value !== "string") {
    const text = quoted(field, value);
    return text === undefined ? undefined : `put it in quotes: ${text}`;
  }
  if (field.type === "integer" || field.type === "number") {
    const number = correctedNumber(field, value);
    return number === undefined ? undefined : `write ${number}${String(number) === value ? " without quotes" : ""}`;
  }
  if (field.type === "array") {
    return `write it as a list: [${flowYaml(value)}]`;
  }
  // Other digits are another name: fp16 is no slip of fp8.
  const digits = (text: string) => text.replace(/\D/g, "");
  const meant = didYouMean(
    value,
    (field.enum ?? []).map(String).filter((name) => digits(name) === digits(value)),
  );
  const text = correctedText(field, value);
  return meant === undefined ? text && `write ${text}` : `did you mean "${meant}"?`;
}

function nearestBound(value: number, { minimum, maximum }: { minimum?: number; maximum?: number }): number | undefined {
  if (minimum !== undefined && value < minimum) {
    return minimum;
  }
  return maximum !== undefined && value > maximum ? maximum : undefined;
}

/** What stands at a path of plain data. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}

/**
 * Parses what is right in a section, so that the rules between fields are checked even while single fields are wrong:
 * faulty values are taken out, and where a required one is missing, what it belongs to.
 *
 * @returns undefined when nothing useful is left.
 */
export function parseWhatIsRight(schema: z.ZodType, section: unknown): unknown {
  const rest = structuredClone(section);
  for (;;) {
    const result = schema.safeParse(rest);
    if (result.success) {
      return result.data;
    }
    // Decided for all issues of a round before any is acted on: two issues about one value take out only that value.
    const targets = result.error.issues.flatMap(faultyPaths).map((path) => removable(rest, path));
    for (const path of targets) {
      if (path.length === 0) {
        return undefined;
      }
      const owner = valueAt(rest, path.slice(0, -1));
      if (typeof owner === "object" && owner !== null) {
        Reflect.deleteProperty(owner, path[path.length - 1] ?? "");
      }
    }
  }
}

function faultyPaths(issue: Issue): Path[] {
  const path = issue.path as Path;
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
}

/** The path itself, or the nearest thing above it that exists: the owner of a missing value, the list of an item. */
function removable(root: unknown, path: Path): Path {
  const item = path.findIndex((key) => typeof key === "number");
  let target = item === -1 ? path : path.slice(0, item);
  while (target.length > 0 && valueAt(root, target) === undefined) {
    target = target.slice(0, -1);
  }
  return target;
}
