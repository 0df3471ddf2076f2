/** Credentials in plain text, wherever they stand: an environment file is committed, and what it says is rendered. */
import type { Path, ProblemDraft } from "./core/problems";
import { secretKeys } from "./secrets";

/**
 * Forms that nothing but a credential has: tokens of Hugging Face, GitHub, GitLab, Slack and OpenAI by their published
 * prefixes, JSON Web Tokens, private keys.
 */
const TOKEN =
  /\b(hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|sk-(proj-|ant-)?[A-Za-z0-9]{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.)|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** A password in a URL, or a query, which signs a URL of a bucket. */
const URL_SECRET = /:\/\/[^/@\s]+@|^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?\S/i;

/** Whether a text holds a credential: by the form of a token, not by a word that merely begins like one (`hf_overrides`). */
export function holdsToken(text: string): boolean {
  return TOKEN.test(text) || URL_SECRET.test(text);
}

/** A problem for each text below our namespace that holds a credential. The texts themselves are not told. */
export function plainTokens(values: Readonly<Record<string, unknown>>): ProblemDraft[] {
  return textsIn(values).flatMap(([path, text]) =>
    TOKEN.test(text)
      ? [
          {
            path,
            value: "(hidden)",
            allowed: "text without credentials: this file is committed, and its values are rendered",
            fix: `take it out and treat it as leaked; secrets have keys of their own: ${secretKeys.join(", ")}`,
          },
        ]
      : [],
  );
}

function textsIn(value: unknown, path: Path = []): (readonly [Path, string])[] {
  if (typeof value === "string") {
    return [[path, value]];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, child]) =>
        textsIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : [];
}
