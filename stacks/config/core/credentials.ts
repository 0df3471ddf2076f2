/** What gives a credential away in a text: refused where it has a token's whole form, hidden where it merely begins like one. */
export const HIDDEN = "(hidden)";

/**
 * Beginnings of tokens as their makers publish them, and what follows in one: Hugging Face, GitHub, GitLab, Slack, OpenAI and
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
/** Whoever has the URL of an incoming webhook may post. */
const SLACK_WEBHOOK = "hooks\\.slack(-gov)?\\.com/(services|workflows|triggers)/\\w";
const PRIVATE_KEY = "-----BEGIN [A-Z ]*PRIVATE KEY-----";

const TOKEN = new RegExp(
  `\\b(${TOKENS.map(([start, rest]) => start + rest).join("|")}|${SLACK_WEBHOOK})|${PRIVATE_KEY}`,
);

/** A password in a URL, or a query, which signs a URL of a bucket. */
const URL_SECRET = /:\/\/[^/@\s]+@|^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?\S/i;

const HIDING = [
  new RegExp(`${PRIVATE_KEY}[\\s\\S]*`, "g"),
  new RegExp(`\\b(${TOKENS.map(([start]) => start).join("|")})[\\w.-]{8,}`, "g"),
  new RegExp(`${SLACK_WEBHOOK}\\S*`, "g"),
  /(?<=:\/\/)[^/@\s]*(?=@)/g,
  /(?<=^[a-z][a-z0-9+.-]*:\/\/[^\s?]*\?)\S+/gi,
];

/** By the form of a token or private key, not by a word that merely begins like one (`hf_overrides`). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** A token, a private key, or a URL with a password or a query. */
export function holdsToken(text: string): boolean {
  return isToken(text) || URL_SECRET.test(text);
}

/** For what is shown: whatever begins like a token goes, too. */
export function withoutCredentials(text: string): string {
  return HIDING.reduce((rest, pattern) => rest.replace(pattern, HIDDEN), text);
}

/** Whether something of a text would be hidden. */
export function holdsCredential(text: string): boolean {
  return withoutCredentials(text) !== text;
}
