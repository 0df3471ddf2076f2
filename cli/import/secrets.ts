/** What is a secret, by its name or by how it looks. None is copied, and none is shown. */
import type { Path } from "./path";

/** Names of variables, keys and flags that hold one. `…_TOKENS` counts tokens of text. */
const NAME =
  /(^|[^a-z])(pw|pwd|pass)$|(token|(api|secret|access)[-_]?keys?|[_-]keys?|access[-_]?key[-_]?id|secrets?|passw(or)?ds?|passphrase|credentials?)$/i;

/** `--api-key=…`, `Bearer …`, `curl -u user:…`, `//user:…@host`, `?sig=…`, `API_KEY=…`, and keys by their first letters. */
const TEXTS: readonly RegExp[] = [
  /--?[\w.-]*(key|token|secret|passw(or)?d|credentials?)(=|\s+)(?!\d+(\s|$))\S/i,
  /\b(bearer\s+|authorization:\s*)\S/i,
  /(^|\s)(-u|--user)[=\s]*\S+:\S/,
  /:\/\/[^\s/@]*:[^\s/@]+@/,
  /\w\?[^\s?]*=/,
  /(^|[^\w-])(hf_|sk-|ghp_|glpat-|xox[bp]-|AKIA)\w/,
  /(^|\s)\w*(KEY|TOKEN|SECRET|PASSWORD|PASSWD)=\S/i,
];

export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** Whether a text has a secret somewhere in it. */
export function holdsSecret(text: string): boolean {
  return TEXTS.some((form) => form.test(text));
}

/** Whether the value at a path is one: by the key that it stands at, or by the word before it in a list. */
export function isSecretPlace(path: Path, before: unknown): boolean {
  const key = path[path.length - 1];
  return typeof key === "string"
    ? isSecretName(key)
    : typeof before === "string" && /^--?./.test(before) && isSecretName(before);
}
