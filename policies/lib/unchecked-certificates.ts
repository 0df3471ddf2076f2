import type { Field } from "./field";
import type { Resource } from "./resource";
import { isGiven } from "./rows";
import { placesOf, type Setting, settings } from "./settings";

const isOff = (value: unknown) => /^(false|no|off|0|none)$/i.test(String(value));
/** A word after a valueless option is not its value. */
const isOn = (value: unknown) => isGiven(value) && !isOff(value);

const TLS = /^(tls|ssl|https|certs?|certificates?)$/;
const CHECK = /^(verify|verification|validate|validation|check)$/;
/** Each inverts a name: `noSkipVerify` is `verify`. */
const NEGATING = /^(skip|skipped|no|not|disabled?|without|ignored?|bypass)$/;
/** The unchecked state: inverts once, whatever else inverts (`insecure-skip-tls-verify`). */
const UNSAFE = /^(insecure|unsafe|invalid)$/;
/** Words that do not affect whether it is checked. */
const NEUTRAL = /^(peer|hosts?|hostnames?|server|chain|allow|accept|enabled?)$/;

/** Names that other rules miss, with the values that disable the check. */
const KNOWN: readonly (readonly [name: RegExp, isUnchecked: (value: unknown) => boolean])[] = [
  // Go's InsecureSkipVerify, VAULT_SKIP_VERIFY
  [/(^|-)skip-verify(-insecure)?$/, isOn],
  [/(^|-)reject-unauthorized$/, isOff],
  [/(^|-)trust-server-certificate$/, isOn],
  [/(^|-)ignore-(tls|ssl|certificate)-errors$/, isOn],
];

const ABOUT = /verif|validat|check|insecure|unsafe|invalid|reject|trust|ignore/i;

/** Properties, variables, options and file lines. */
export function uncheckedCertificates(resource: Resource): Field[] {
  return placesOf(settings(resource, ABOUT).filter(skips));
}

function skips({ names: [name = ""], path, values }: Setting): boolean {
  const isUnchecked = uncheckedBy(name) ?? uncheckedBelow(name, path);
  return isUnchecked !== undefined && values.some((value) => value.is(isUnchecked));
}

/**
 * Undefined for other settings.
 *
 * @param name lower-case words joined by `-`; the first may be the program's.
 */
function uncheckedBy(name: string): ((value: unknown) => boolean) | undefined {
  const known = KNOWN.find(([pattern]) => pattern.test(name));
  if (known !== undefined) {
    return known[1];
  }
  const words = tellingWords(name.replace(/pythonhttpsverify$/, "https-verify").split("-"));
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (!has(TLS) || !(has(CHECK) || has(UNSAFE))) {
    return undefined;
  }
  const turns = words.filter((word) => NEGATING.test(word)).length;
  const isNegated = has(CHECK) ? turns % 2 === 1 || (turns === 0 && has(UNSAFE)) : turns % 2 === 0;
  return isNegated ? isOn : isOff;
}

function tellingWords(words: readonly string[]): readonly string[] {
  const other = words.findLastIndex(
    (word) => ![TLS, CHECK, NEGATING, UNSAFE, NEUTRAL].some((pattern) => pattern.test(word)),
  );
  return words.slice(other + 1);
}

/** `tls: { verify: false }`; insecure below `tls` may be a connection without TLS. */
function uncheckedBelow(name: string, path: string): ((value: unknown) => boolean) | undefined {
  const isCheck = name.split("-").some((word) => CHECK.test(word));
  const [, holder] = /(?:^|-)(tls|ssl)-$/.exec(path.slice(0, -name.length)) ?? [];
  return isCheck && holder !== undefined ? uncheckedBy(`${holder}-${name}`) : undefined;
}
