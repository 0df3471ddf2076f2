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

export function broken(rows: readonly Row[], { type, kind, props, isPatch }: Resource): Omit<Finding, "resource">[] {
  return rows
    .filter(({ on }) => on.includes(type) || (kind !== undefined && on.includes(kind)))
    .flatMap(({ path, isWrong, found, allowed, fix }) =>
      select(props, path)
        .filter((field) => field.is((value) => isWrong(value) && !(isPatch && value === undefined)))
        .map((field) => ({ field, ...(found !== undefined && { found }), allowed, ...(fix !== undefined && { fix }) })),
    );
}

/** An absent or empty list is returned itself: its elements are missing. */
export function select(field: Field, path: string): Field[] {
  return selectSteps(field, path.split("."));
}

function selectSteps(field: Field, [step, ...rest]: readonly string[]): Field[] {
  if (step === undefined) {
    return [field];
  }
  if (!step.endsWith("[]")) {
    return selectSteps(field.get(step), rest);
  }
  const list = field.get(step.slice(0, -2));
  const items = list.items();
  return items.length > 0 ? items.flatMap((item) => selectSteps(item, rest)) : [list];
}

export const isTrue = (value: unknown) => value === true || value === "true";
export const isNotTrue = (value: unknown) => !isTrue(value);
export const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";
export const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);
