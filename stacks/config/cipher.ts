/** `{secure: …}` may hold only text encrypted by Pulumi. */
import type { Path, ProblemDraft } from "./core/problems";

/**
 * `v1:<nonce>:<text>` of passphrases and cloud keys, or bare Base64 of Pulumi Cloud, with at least
 * 40 characters for nonce and tag.
 */
const CIPHER = /^(v1:\S+|(?=.{40})[A-Za-z0-9+/]+={0,2})$/;

/** A plaintext secret marked as encrypted. */
export function cipherProblem(path: Path, value: unknown): ProblemDraft | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return undefined;
  }
  const entries = Object.entries(value);
  const [[key, text] = []] = entries;
  if (entries.length !== 1 || key !== "secure" || (typeof text === "string" && CIPHER.test(text))) {
    return undefined;
  }
  return {
    path,
    value: text,
    allowed: "what Pulumi has encrypted; this is plain text",
    fix: `run pulumi config set --secret ${path[path.length - 1]}, and treat the plain value as leaked`,
  };
}
