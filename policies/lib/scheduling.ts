import { type Field, holdsUnknown, isObject, UNKNOWN } from "./field";

export interface NodeTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

export interface NodePool {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
}

/** A pod's spec or chart values, which use the same names for placement. */
export type Placement = Field;

/** Hard taints only; none while tolerations are unknown. */
export function untolerated<Taint extends NodeTaint>(taints: readonly Taint[], placement: Placement): Taint[] {
  const tolerations = placement.get("tolerations");
  if (!tolerations.is(() => true)) {
    return [];
  }
  const tolerated = tolerations.items();
  return taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .filter((taint) => !tolerated.some((toleration) => tolerates(toleration, taint)));
}

/** By node selector, required node affinity and taints. Empty while one of these is unknown. */
export function reachablePools<Pool extends NodePool>(pools: readonly Pool[], placement: Placement): Pool[] {
  const [selector, terms] = [placement.get("nodeSelector"), placement.get(...REQUIRED_TERMS)];
  if (![selector, terms, placement.get("tolerations")].every(isKnown)) {
    return [];
  }
  return pools.filter(
    (pool) =>
      selector.entries().every(([key, value]) => mayHave(pool, key, [String(value.value)], pools)) &&
      (terms.items().length === 0 || terms.items().some((term) => mayMatch(pool, term, pools))) &&
      untolerated(pool.taints, placement).length === 0,
  );
}

const REQUIRED_TERMS = [
  "affinity",
  "nodeAffinity",
  "requiredDuringSchedulingIgnoredDuringExecution",
  "nodeSelectorTerms",
] as const;

export function selectsNodes(placement: Placement): boolean {
  const isEmpty = (field: Field) =>
    field.is((value) => value === undefined || value === null || Object.keys(value as object).length === 0);
  return !(isEmpty(placement.get("nodeSelector")) && isEmpty(placement.get(...REQUIRED_TERMS)));
}

/** A term with an unsupported operator may match. */
function mayMatch(pool: NodePool, term: Field, pools: readonly NodePool[]): boolean {
  return term
    .get("matchExpressions")
    .items()
    .every((expression) => {
      const key = String(expression.get("key").value);
      const values = expression
        .get("values")
        .items()
        .map(({ value }) => String(value));
      switch (expression.get("operator").value) {
        case "In":
          return mayHave(pool, key, values, pools);
        case "NotIn":
          return !values.includes(pool.labels[key] ?? "");
        case "DoesNotExist":
          return !Object.hasOwn(pool.labels, key);
        default:
          return true;
      }
    });
}

/** An unlisted label may exist, unless another pool has it. */
function mayHave({ labels }: NodePool, key: string, values: readonly string[], pools: readonly NodePool[]): boolean {
  const has = (each: NodePool) => values.includes(each.labels[key] ?? "");
  return Object.hasOwn(labels, key) ? values.includes(labels[key] ?? "") : !pools.some(has);
}

/** The scheduler's rule: an empty key or effect matches all; `Exists` ignores the value. */
function tolerates(toleration: Field, taint: NodeTaint): boolean {
  const matches = (key: string, expected: string, emptyMatches: boolean) =>
    !toleration.get(key).is((value) => value !== expected && !(emptyMatches && (value === undefined || value === "")));
  const exists = !toleration.get("operator").is((value) => value !== "Exists");
  return (
    toleration.is(isObject) &&
    matches("effect", taint.effect, true) &&
    matches("key", taint.key, exists) &&
    (exists || matches("value", taint.value ?? "", taint.value === undefined))
  );
}

/** The result remembers the path of an unknown value. */
function isKnown(field: Field): boolean {
  if (!holdsUnknown(field.value)) {
    return true;
  }
  field.containing(UNKNOWN).is(() => true);
  return false;
}
