/** Namespaces of keys; ours is the Pulumi project's. */
import { distance } from "fastest-levenshtein";
import type { ProblemDraft } from "./core/problems";
import { didYouMean } from "./core/problems";
import { NAMESPACE } from "./core/schema";
import { configSchema } from "./schema";

/** Undefined for other namespaces. */
export function ownKey(key: string): string | undefined {
  const prefix = `${NAMESPACE}:`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** Edits in a name of this length that are certainly mistakes. */
const SLIPS = 3;

/** Misspelt namespaces of ours: Pulumi would keep such keys for another project, unread. */
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
  // With more edits, the key must be one of ours.
  const isOurKey = Object.hasOwn(configSchema.shape, key.slice(colon + 1));
  return isSlip || (isOurKey && didYouMean(namespace, [NAMESPACE]) !== undefined);
}
