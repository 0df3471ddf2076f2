/** Keys of an environment file belong to namespaces; ours is that of the Pulumi project. */
import { distance } from "fastest-levenshtein";
import type { ProblemDraft } from "./core/problems";
import { didYouMean } from "./core/problems";
import { NAMESPACE } from "./core/schema";
import { configSchema } from "./schema";

/** A full key without our namespace; undefined for the keys of others. */
export function ownKey(key: string): string | undefined {
  const prefix = `${NAMESPACE}:`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** Slips in a name of this length that nobody makes on purpose. */
const SLIPS = 3;

/** Keys whose namespace is ours but for a slip: Pulumi would keep them for another project, and nothing would read them. */
export function misspeltNamespaces(keys: readonly string[], parent: readonly string[] = []): ProblemDraft[] {
  return keys.filter(isMeantForUs).map((key) => ({
    path: [...parent, key],
    value: key,
    allowed: `the namespace ${NAMESPACE} for keys of this project`,
    fix: `write ${NAMESPACE}:${key.slice(key.indexOf(":") + 1)}`,
  }));
}

function isMeantForUs(key: string): boolean {
  const colon = key.indexOf(":");
  const namespace = key.slice(0, colon);
  if (colon < 1 || namespace === NAMESPACE) {
    return false;
  }
  const isSlip = distance(namespace.toLowerCase(), NAMESPACE) <= SLIPS;
  // Further off, the key itself must be one of ours.
  const isOurKey = Object.hasOwn(configSchema.shape, key.slice(colon + 1));
  return isSlip || (isOurKey && didYouMean(namespace, [NAMESPACE]) !== undefined);
}
