import type { Field } from "./field";
import type { Resource } from "./resource";
import { isGiven } from "./rows";
import { placesOf, type Setting, settings } from "./settings";

const isOff = (value: unknown) => /^(false|no|off|0|none)$/i.test(String(value));
/** What follows an option without a value is no value of it. */
const isOn = (value: unknown) => isGiven(value) && !isOff(value);

const TLS = /^(tls|ssl|https|certs?|certificates?)$/;
const CHECK = /^(verify|verification|validate|validation|check)$/;
/** Each turns the meaning of a name round: `noSkipVerify` is `verify`. */
const NEGATING = /^(skip|skipped|no|not|disabled?|without|ignored?|bypass)$/;
/** The state without a check: it negates once, whatever negates beside it (`insecure-skip-tls-verify`). */
const UNSAFE = /^(insecure|unsafe|invalid)$/;
/** Say nothing about whether it is checked. */
const NEUTRAL = /^(peer|hosts?|hostnames?|server|chain|allow|accept|enabled?)$/;

/** Names that are about certificates although no word of them says so, or not that they are checked; and what turns them off. */
const KNOWN: readonly (readonly [name: RegExp, isUnchecked: (value: unknown) => boolean])[] = [
  // Go's InsecureSkipVerify, VAULT_SKIP_VERIFY
  [/(^|-)skip-verify(-insecure)?$/, isOn],
  [/(^|-)reject-unauthorized$/, isOff],
  [/(^|-)trust-server-certificate$/, isOn],
  [/(^|-)ignore-(tls|ssl|certificate)-errors$/, isOn],
];

/** In all of these names. */
const ABOUT = /verif|validat|check|insecure|unsafe|invalid|reject|trust|ignore/i;

/** Properties, variables, options and lines of files that skip the check of a server's certificate. */
export function uncheckedCertificates(resource: Resource): Field[] {
  return placesOf(settings(resource, ABOUT).filter(skips));
}

function skips({ names: [name = ""], path, values }: Setting): boolean {
  const isUnchecked = uncheckedBy(name) ?? uncheckedBelow(name, path);
  return isUnchecked !== undefined && values.some((value) => value.is(isUnchecked));
}

/**
 * By which values a setting skips the check of certificates; undefined for a setting of something else.
 *
 * @param name its words, in lower case, joined by `-`; the first may be those of a program.
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

/** The last words of a name, as many as say whether certificates are checked. */
function tellingWords(words: readonly string[]): readonly string[] {
  const other = words.findLastIndex(
    (word) => ![TLS, CHECK, NEGATING, UNSAFE, NEUTRAL].some((pattern) => pattern.test(word)),
  );
  return words.slice(other + 1);
}

/** `tls: { verify: false }`; what is insecure below `tls` may be a connection without TLS. */
function uncheckedBelow(name: string, path: string): ((value: unknown) => boolean) | undefined {
  const isCheck = name.split("-").some((word) => CHECK.test(word));
  const [, holder] = /(?:^|-)(tls|ssl)-$/.exec(path.slice(0, -name.length)) ?? [];
  return isCheck && holder !== undefined ? uncheckedBy(`${holder}-${name}`) : undefined;
}
