/** Callers' existing keys (`gateway.consumers.<name>.secretKey`): known at deployment only. */
import { type ProblemDraft, valueAt } from "./core/problems";
import { NAMESPACE } from "./core/schema";

/** A gateway key must not be guessable. */
const LEAST_CHARACTERS = 16;

/**
 * Keys that are too short or shared by two callers, whom Envoy would confuse. Never shows values.
 *
 * @param values of all keys, from Pulumi.
 * @param isKnown whether a value is the secret itself, not a placeholder.
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
          : `another key than that of the consumer ${owner}: the gateway identifies callers by it`;
    return allowed === undefined
      ? []
      : [{ path: [key], value: undefined, allowed, fix: `run pulumi config set --secret ${NAMESPACE}:${key}` }];
  });
}
