import type { Field } from "./field";
import type { Resource } from "./resource";
import { isGiven } from "./rows";
import { placesOf, type Setting, settings } from "./settings";

const isOff = (value: unknown) => /^(false|no|off|0|none)$/i.test(String(value));
/** What follows an option without a value is no value of it. */
const isOn = (value: unknown) => isGiven(value) && !isOff(value);

const OF = "((tls|ssl|https|cert|certs|certificate|certificates|peer|host|hostname|server)-)*";
const CHECK = "(verify|verification|validate|validation|check)";

/** Names by which programs and kinds skip the check of a server's certificate, as words, and the values by which they do. */
const NAMES: readonly (readonly [name: RegExp, isUnchecked: (value: unknown) => boolean])[] = [
  // insecureSkipVerify, insecure-skip-tls-verify, tls_skip_verify_insecure, skip-ssl-validation, GIT_SSL_NO_VERIFY, --no-check-certificate
  [new RegExp(`(^|-)(skip|no|disable|without)-${OF}${CHECK}(-insecure|-(tls|ssl)?-?certificates?)?$`), isOn],
  [new RegExp(`(^|-)(tls|ssl|cert|certs|certificate)-${CHECK}-(skip|disabled?)$`), isOn],
  [/(^|-)(unsafe-ssl|insecure-(tls|ssl)|(tls|ssl)-insecure|allow-insecure-(tls|ssl)|trust-server-certificate)$/, isOn],
  // verify_ssl, tlsVerify, PYTHONHTTPSVERIFY, NODE_TLS_REJECT_UNAUTHORIZED
  [/(^|-)(verify|validate|check)-(tls|ssl|https|certs?|certificates?)$/, isOff],
  [
    /(^|-)(tls|ssl|https|certs?|certificates?)-(verify|verification|validate|validation)$|(^|-)pythonhttpsverify$/,
    isOff,
  ],
  [/(^|-)reject-unauthorized$/, isOff],
];

/** In all of these names. */
const ABOUT = /verif|validat|check|insecure|unsafe|reject|trust/i;

/** Properties, variables, options and lines of files that skip the check of a server's certificate. */
export function uncheckedCertificates(resource: Resource): Field[] {
  return placesOf(settings(resource, ABOUT).filter(skips));
}

/** `tls: { verify: false }`. */
const BELOW_TLS = /(^|-)(tls|ssl)-verify$/;

function skips({ names, path, values }: Setting): boolean {
  const isOne = (isUnchecked: (value: unknown) => boolean) => values.some((value) => value.is(isUnchecked));
  return (
    NAMES.some(([pattern, isUnchecked]) => names.some((name) => pattern.test(name)) && isOne(isUnchecked)) ||
    (BELOW_TLS.test(path) && isOne(isOff))
  );
}
