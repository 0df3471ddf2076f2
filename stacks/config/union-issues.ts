/** zod's issues in tagged unions as if the tag were right, so that no tag hides others. */
import type { z } from "zod";
import { type Path, valueAt } from "./core/problems";
import { type FieldSchema, fieldAt, inputSchema } from "./field-text";
import { meantMember, namedMember, unionOf } from "./union-fields";

type Issue = z.core.$ZodIssue;

/** Missing or unknown. */
export interface UnknownTag {
  readonly code: "unknown_tag";
  readonly path: Path;
  /** Likely member, whose keys were checked. */
  readonly meant: string | undefined;
}

export type PlainIssue = Issue | UnknownTag;

/**
 * Replaces failed tagged unions by their unknown tag, and the issues in the intended member, or in
 * all where unclear.
 *
 * @param issues with paths from the root.
 * @param values that were parsed.
 * @param root schema of the values.
 */
export function plainIssues(issues: readonly Issue[], values: unknown, root = inputSchema()): PlainIssue[] {
  return issues.flatMap((issue) => (issue.code === "invalid_union" ? unionIssues(issue, values, root) : [issue]));
}

function unionIssues(issue: z.core.$ZodIssueInvalidUnion, values: unknown, root: FieldSchema): PlainIssue[] {
  const path = issue.path as Path;
  const field = fieldAt(path, values, root);
  const union = field && unionOf(field);
  const value = valueAt(values, path);
  if (union === undefined) {
    return longFormIssues(issue, value) ?? [issue];
  }
  const meant = meantMember(union, value);
  const tag = [...path, union.tag];
  const byMember = issue.errors.map((errors) =>
    plainIssues(
      errors.map((each) => ({ ...each, path: [...path, ...each.path] })),
      values,
      root,
    ).filter((each) => keyIn(path, each) !== union.tag),
  );
  const others =
    meant === undefined ? inAll(path, byMember) : (byMember[[...union.members.keys()].indexOf(meant)] ?? []);
  return namedMember(union, value) === undefined ? [{ code: "unknown_tag", path: tag, meant }, ...others] : others;
}

/** Issues in a mapping where shorthands are allowed too. */
function longFormIssues(issue: z.core.$ZodIssueInvalidUnion, value: unknown): PlainIssue[] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return undefined;
  }
  const isOfMapping = (errors: readonly Issue[]) =>
    errors.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys");
  const unknown = (errors: readonly Issue[]) => errors.filter(({ code }) => code === "unrecognized_keys").length;
  // Of several mappings, the one whose keys are used.
  return issue.errors
    .filter(isOfMapping)
    .toSorted((a, b) => unknown(a) - unknown(b))[0]
    ?.map((each) => ({ ...each, path: [...(issue.path as Path), ...(each.path as Path)] }));
}

/** Issues of keys that every member refuses, from the first member that knows the key. */
function inAll(path: Path, byMember: readonly (readonly PlainIssue[])[]): PlainIssue[] {
  const [first = new Map<string, PlainIssue[]>(), ...others] = byMember.map((issues) => byKey(path, issues));
  const shared = [...first].filter(([key]) => others.every((issues) => issues.has(key)));
  return shared.flatMap(([key, unknown]) => {
    const told = [unknown, ...others.map((issues) => issues.get(key) ?? [])];
    return told.find((issues) => issues.every((issue) => issue.code !== "unrecognized_keys")) ?? unknown;
  });
}

/** By key; each unknown key separately. */
function byKey(path: Path, issues: readonly PlainIssue[]): Map<string, PlainIssue[]> {
  const each = issues.flatMap((issue): PlainIssue[] =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue],
  );
  const result = new Map<string, PlainIssue[]>();
  for (const issue of each) {
    const key = keyIn(path, issue);
    result.set(key, [...(result.get(key) ?? []), issue]);
  }
  return result;
}

/** Empty for the mapping itself. */
function keyIn(mapping: Path, issue: PlainIssue): string {
  const unknown = issue.code === "unrecognized_keys" && issue.path.length === mapping.length;
  return String((unknown ? issue.keys[0] : issue.path[mapping.length]) ?? "");
}
