/** Values of the keys that callers have already (`gateway.consumers.<name>.secretKey`): known at deployment alone. */
import { type ProblemDraft, valueAt } from "./core/problems";
import { NAMESPACE } from "./core/schema";

/** A key that opens the gateway must not be guessed. */
const LEAST_CHARACTERS = 16;

/**
 * Keys that are too short, and keys of two callers that are one: Envoy would take both for one of them. No value is told.
 *
 * @param values of all keys, as Pulumi hands them to the program.
 * @param isKnown whether a value is the secret itself, and no stand-in for it.
 */
export function callerKeyProblems(
  values: Readonly<Record<string, unknown>>,
  isKnown: (key: string) => boolean,
): ProblemDraft[] {
  const consumers = Object.entries(Object(valueAt(values, ["gateway", "consumers"])) as object);
  const owners = new Map<string, string>();
  return consumers.flatMap(([name, settings]): ProblemDraft[] => {
    const key = valueAt(settings, ["secretKey"]);
    const value = typeof key === "string" && isKnown(key) ? values[key] : undefined;
    if (typeof key !== "string" || typeof value !== "string") {
      return [];
    }
    const owner = owners.get(value);
    owners.set(value, name);
    const allowed =
      value.length < LEAST_CHARACTERS
        ? `an API key of ${LEAST_CHARACTERS} characters or more: it opens the gateway`
        : owner === undefined
          ? undefined
          : `another key than that of the consumer ${owner}: the gateway tells callers apart by it`;
    return allowed === undefined
      ? []
      : [{ path: [key], value: undefined, allowed, fix: `run pulumi config set --secret ${NAMESPACE}:${key}` }];
  });
}
