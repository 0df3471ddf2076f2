/** Detects secrets by name or form; none is copied or shown. */
import type { Path } from "./path";

/** `…_TOKENS` counts tokens of text. */
const NAME =
  /(^|[^a-z])(pw|pwd|pass)$|((?<!(?:bos|eos|pad|unk|sep|cls|mask|stop|image|video|audio)[-_])token|(api|secret|access)[-_]?keys?|[_-]keys?|access[-_]?key[-_]?id|secrets?|passw(or)?ds?|passphrase|credentials?)$/i;

/**
 * `--api-key=…`, `Bearer …`, `curl -u user:…`, `//token@host`, `user:…@host`, `?sig=…`,
 * `API_KEY=…`, and known prefixes. A digest also follows `@`.
 */
const TEXTS: readonly RegExp[] = [
  /--?[\w.-]{0,80}(key|token|secret|passw(or)?d|credentials?)(=|\s+)(?!\d+(\s|$))\S/i,
  /\b(bearer\s+|authorization:\s*)\S/i,
  /(^|\s)(-u|--user)[=\s]*\S+:\S/,
  /:\/\/[^\s/@]+@/,
  /(^|[\s/])[^\s/@:]+:[^\s/@:]+@(?!sha256:)\S/,
  /\w\?[^\s?]*=/,
  /(^|[^\w-])(hf_|sk-|ghp_|glpat-|xox[bp]-|AKIA)\w/,
  /\beyJ[\w-]{8,}\.|-----BEGIN [A-Z ]*PRIVATE KEY/,
  /(^|\s)\w*(KEY|TOKEN|SECRET|PASSWORD|PASSWD)=\S/i,
];

/** `"password": "…"`, `X-Api-Key: …`: JSON and YAML keys, and headers. Counts are no secrets. */
const NAMED = /(?<!\w)([A-Za-z][\w.-]{0,80})["']?\s*[:=]\s*["']?(?!\d+(?:\W|$))[^\s"',{}[\]]/g;

export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

export function holdsSecret(text: string): boolean {
  return TEXTS.some((form) => form.test(text)) || [...text.matchAll(NAMED)].some(([, name = ""]) => isSecretName(name));
}

/** Removes the file's secrets from a message. */
export function withoutSecrets(text: string): string {
  return text.replace(/[^\s"]+/g, (word) => (holdsSecret(word) ? "…" : word));
}

/** By its key, or the previous word of a list. */
export function isSecretPlace(path: Path, before: unknown): boolean {
  const key = path[path.length - 1];
  return typeof key === "string"
    ? isSecretName(key)
    : typeof before === "string" && /^--?./.test(before) && isSecretName(before);
}
