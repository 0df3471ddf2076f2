import { isDeepStrictEqual } from "node:util";

/** What is known of one argument of a resource. */
export interface ArgumentFact {
  readonly required?: true;
  /** A change makes a new resource in place of the old one. */
  readonly replaces?: true;
  /** Its keys are the user's own. */
  readonly map?: true;
}

/** Arguments of a resource by path; the items of a list have the path of the list. */
export type ArgumentFacts = Readonly<Record<string, ArgumentFact>>;

export interface Failure {
  /** Top-level argument. */
  readonly property: string;
  readonly reason: string;
}

export interface Change {
  /** In the engine's words: `placementConfigs[0].subnetId`. */
  readonly path: string;
  readonly kind: "add" | "delete" | "update";
  readonly replaces: boolean;
}

/** How the engine writes a value that is not known yet. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

type Properties = Readonly<Record<string, unknown>>;

/** What is wrong with a resource's arguments: names that nobody knows, and required ones that are not there. */
export function argumentFailures(facts: ArgumentFacts, inputs: Properties, at = ""): Failure[] {
  const unknown = Object.keys(inputs).flatMap((key): Failure[] => {
    const path = `${at}${key}`;
    const fact = facts[path];
    if (fact === undefined) {
      return [failure(path, `there is no argument ${path}`)];
    }
    const values = Array.isArray(inputs[key]) ? (inputs[key] as unknown[]) : [inputs[key]];
    return fact.map ? [] : values.filter(isRecord).flatMap((value) => argumentFailures(facts, value, `${path}.`));
  });
  const missing = Object.entries(facts).flatMap(([path, { required }]): Failure[] => {
    const key = path.slice(at.length);
    const isHere = path.startsWith(at) && !key.includes(".");
    return isHere && required && inputs[key] === undefined ? [failure(path, `${path} is required`)] : [];
  });
  return [...unknown, ...missing];
}

function failure(path: string, reason: string): Failure {
  return { property: path.split(".")[0] ?? path, reason };
}

/** What differs between two versions of a resource's arguments, at the innermost argument, and what each change means. */
export function argumentChanges(facts: ArgumentFacts, before: Properties, after: Properties): Change[] {
  return changesIn(facts, before, after, "", "");
}

function changesIn(facts: ArgumentFacts, before: Properties, after: Properties, at: string, shown: string): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) => {
    const path = at === "" ? key : `${at}.${key}`;
    return changesAt(facts, before[key], after[key], path, shown === "" ? key : `${shown}.${key}`);
  });
}

function changesAt(facts: ArgumentFacts, before: unknown, after: unknown, path: string, shown: string): Change[] {
  if (isDeepStrictEqual(before, after) && after !== UNKNOWN) {
    return [];
  }
  const hasInner = Object.keys(facts).some((other) => other.startsWith(`${path}.`));
  if (hasInner && isRecord(before) && isRecord(after)) {
    return changesIn(facts, before, after, path, shown);
  }
  if (hasInner && Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changesAt(facts, item, after[index], path, `${shown}[${index}]`));
  }
  if (facts[path]?.map && isRecord(before) && isRecord(after)) {
    // As providers of Terraform's kind say it: each key of a map by itself.
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) =>
      isDeepStrictEqual(before[key], after[key])
        ? []
        : [
            {
              path: keyPath(shown, key),
              kind: kindOf(before[key], after[key]),
              replaces: facts[path]?.replaces ?? false,
            },
          ],
    );
  }
  return [{ path: shown, kind: kindOf(before, after), replaces: facts[path]?.replaces ?? false }];
}

function keyPath(map: string, key: string): string {
  return /[."[\]]/.test(key) ? `${map}["${key}"]` : `${map}.${key}`;
}

function kindOf(before: unknown, after: unknown): Change["kind"] {
  return before === undefined ? "add" : after === undefined ? "delete" : "update";
}

function isRecord(value: unknown): value is Properties {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
