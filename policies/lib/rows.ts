import { askedOnce } from "./asked-once";
import type { Field, UNKNOWN, Value } from "./field";
import type { Finding } from "./policy";
import type { Resource } from "./resource";

/** Most policies need no more than a forbidden value of a property. */
export interface Row {
  /** Pulumi type tokens or Kubernetes kinds. */
  readonly on: readonly string[];
  /** Property path; `[]` is every element of a list. */
  readonly path: string;
  readonly isWrong: (value: Exclude<Value, typeof UNKNOWN>) => boolean;
  /** @default the value */
  readonly found?: string;
  readonly allowed: string;
  /** @default the policy's `remediationSteps` */
  readonly fix?: string;
}

export function broken(
  rows: readonly Row[],
  { type, kind = "", props, isPatch }: Resource,
): Omit<Finding, "resource">[] {
  return rowsOn(rows)(`${kind} ${type}`).flatMap(({ path, isWrong, found, allowed, fix }) =>
    select(props, path)
      .filter((field) => field.is((value) => isWrong(value) && !(isPatch && value === undefined)))
      .map((field) => ({ field, ...(found !== undefined && { found }), allowed, ...(fix !== undefined && { fix }) })),
  );
}

type RowsOn = (kindAndType: string) => readonly Row[];

const asked = new WeakMap<readonly Row[], RowsOn>();

/** Cached, because few rows concern a resource. */
function rowsOn(rows: readonly Row[]): RowsOn {
  const known = asked.get(rows);
  if (known !== undefined) {
    return known;
  }
  const found = askedOnce((kindAndType) => {
    // A kind has no spaces, a type may.
    const end = kindAndType.indexOf(" ");
    const [kind, type] = [kindAndType.slice(0, end), kindAndType.slice(end + 1)];
    return rows.filter(({ on }) => on.includes(type) || on.includes(kind));
  });
  asked.set(rows, found);
  return found;
}

/** An absent or empty list is returned itself: its elements are missing. */
export function select(field: Field, path: string): Field[] {
  return selectSteps(field, stepsOf(path), 0);
}

const stepsOf = askedOnce((path): readonly string[] => path.split("."));

function selectSteps(field: Field, steps: readonly string[], at: number): Field[] {
  const step = steps[at];
  if (step === undefined) {
    return [field];
  }
  if (!step.endsWith("[]")) {
    return selectSteps(field.get(step), steps, at + 1);
  }
  const list = field.get(step.slice(0, -2));
  const items = list.items();
  return items.length > 0 ? items.flatMap((item) => selectSteps(item, steps, at + 1)) : [list];
}

export const isTrue = (value: unknown) => value === true || value === "true";
export const isNotTrue = (value: unknown) => !isTrue(value);
export const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";
export const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);
