/** Credentials in texts: refused as whole tokens, hidden if they only begin like one. */
export const HIDDEN = "(hidden)";

/**
 * Published token prefixes and what follows: Hugging Face, GitHub, GitLab, Slack, OpenAI and
 * Anthropic, AWS, JSON Web Tokens.
 */
const TOKENS: readonly (readonly [start: string, rest: string])[] = [
  ["hf_", "[A-Za-z0-9]{16,}"],
  ["gh[pousr]_", "[A-Za-z0-9]{20,}"],
  ["github_pat_", "\\w{20,}"],
  ["glpat-", "[\\w-]{16,}"],
  ["xox[abprs]-", "[\\w-]{10,}"],
  ["sk-", "(proj-|ant-)?[A-Za-z0-9]{20,}"],
  ["A(KI|SI)A", "[0-9A-Z]{16}\\b"],
  ["eyJ", "[\\w-]{8,}\\.eyJ[\\w-]{8,}\\."],
];
/** An incoming webhook's URL grants posting. */
const SLACK_WEBHOOK = "hooks\\.slack(-gov)?\\.com/(services|workflows|triggers)/\\w";
const PRIVATE_KEY = "-----BEGIN [A-Z ]*PRIVATE KEY-----";

const TOKEN = new RegExp(
  `\\b(${TOKENS.map(([start, rest]) => start + rest).join("|")}|${SLACK_WEBHOOK})|${PRIVATE_KEY}`,
);

/** A password in a URL, or a query, which signs bucket URLs. */
const URL_SECRET = /:\/\/[^/@\s]+@|^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?\S/i;

const HIDING = [
  new RegExp(`${PRIVATE_KEY}[\\s\\S]*`, "g"),
  new RegExp(`\\b(${TOKENS.map(([start]) => start).join("|")})[\\w.-]{8,}`, "g"),
  new RegExp(`${SLACK_WEBHOOK}\\S*`, "g"),
  /(?<=:\/\/)[^/@\s]*(?=@)/g,
  /(?<=^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?)\S+/gi,
];

/** By a token's or private key's form, unlike words with the same start (`hf_overrides`). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** A token, private key, or URL with password or query. */
export function holdsToken(text: string): boolean {
  return isToken(text) || URL_SECRET.test(text);
}

/** For display: hides everything that begins like a token. */
export function withoutCredentials(text: string): string {
  return HIDING.reduce((rest, pattern) => rest.replace(pattern, HIDDEN), text);
}

export function holdsCredential(text: string): boolean {
  return withoutCredentials(text) !== text;
}
