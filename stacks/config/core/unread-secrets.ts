import { HIDDEN, type Path, type ProblemDraft, valueAt } from "./problems";
import type { RuleContext } from "./rule";
import { NAMESPACE } from "./schema";

/** Where a secret is read. */
export interface SecretReader {
  readonly path: Path;
  /** @default any value */
  readonly value?: string;
}

/**
 * Secrets that nothing reads: a credential too many, or a section that is missing.
 *
 * @param readers by the secret's key.
 */
export function* unreadSecrets(
  { sections, declared }: RuleContext,
  readers: Readonly<Record<string, SecretReader>>,
): Generator<ProblemDraft> {
  for (const [key, { path, value }] of Object.entries(readers)) {
    const found = valueAt(sections, path);
    const isRead = declared.isWritten(path) && (value === undefined || found === undefined || found === value);
    if (declared.secrets.includes(key) && !isRead) {
      const reader = value === undefined ? path.join(".") : `${path.join(".")}: ${value}`;
      yield {
        path: [key],
        value: HIDDEN,
        allowed: `only with ${reader}, which reads it`,
        fix: `${value === undefined ? "add" : "write"} ${reader}, or run pulumi config rm ${NAMESPACE}:${key}`,
      };
    }
  }
}
