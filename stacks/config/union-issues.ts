/** What zod finds in tagged unions, as if the tag were right: no tag hides what is wrong beside it. */
import type { z } from "zod";
import { type Path, valueAt } from "./core/problems";
import { type FieldSchema, fieldAt, inputSchema } from "./field-text";
import { meantMember, namedMember, unionOf } from "./union-fields";

type Issue = z.core.$ZodIssue;

/** A tag that is missing or names no member. */
export interface UnknownTag {
  readonly code: "unknown_tag";
  readonly path: Path;
  /** The member that was probably meant: its keys were checked. */
  readonly meant: string | undefined;
}

export type PlainIssue = Issue | UnknownTag;

/**
 * The issues of a configuration with each failed tagged union replaced by its unknown tag, and by what is wrong in the
 * member that was meant, or in all members where that cannot be told.
 *
 * @param issues with paths from the root.
 * @param values that were parsed.
 * @param root schema that they were parsed by.
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

/** Of a field that takes mappings, or something short for one: what is wrong in the mapping that is there. */
function longFormIssues(issue: z.core.$ZodIssueInvalidUnion, value: unknown): PlainIssue[] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return undefined;
  }
  const isOfMapping = (errors: readonly Issue[]) =>
    errors.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys");
  const unknown = (errors: readonly Issue[]) => errors.filter(({ code }) => code === "unrecognized_keys").length;
  // Of several mappings the one whose keys were written.
  return issue.errors
    .filter(isOfMapping)
    .toSorted((a, b) => unknown(a) - unknown(b))[0]
    ?.map((each) => ({ ...each, path: [...(issue.path as Path), ...(each.path as Path)] }));
}

/** Issues of the keys that every member refuses, as the first member tells them that knows the key. */
function inAll(path: Path, byMember: readonly (readonly PlainIssue[])[]): PlainIssue[] {
  const [first = new Map<string, PlainIssue[]>(), ...others] = byMember.map((issues) => byKey(path, issues));
  const shared = [...first].filter(([key]) => others.every((issues) => issues.has(key)));
  return shared.flatMap(([key, unknown]) => {
    const told = [unknown, ...others.map((issues) => issues.get(key) ?? [])];
    return told.find((issues) => issues.every((issue) => issue.code !== "unrecognized_keys")) ?? unknown;
  });
}

/** Issues of a mapping by the key in it that they concern; each unknown key apart. */
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

/** The key of a mapping that an issue in it is about; that of the mapping itself is the empty one. */
function keyIn(mapping: Path, issue: PlainIssue): string {
  const unknown = issue.code === "unrecognized_keys" && issue.path.length === mapping.length;
  return String((unknown ? issue.keys[0] : issue.path[mapping.length]) ?? "");
}
