import { resourcePolicy } from "../lib/policy";
import { placesOf, type Setting, settings } from "../lib/settings";

export const chartAuthentication = resourcePolicy(
  {
    name: "chart-authentication",
    description:
      "Helm charts and pods require authentication: no setting allows anonymous callers, disables authentication, skips a login, or opens Redis or Valkey without a password.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "authentication"],
    remediationSteps: "Leave authentication on, with a password or a client of the identity provider in a Secret.",
  },
  (resource, report) => {
    const all = settings(resource, ABOUT);
    const guarded = new Set(all.filter(isPassword).map(programOf));
    const openings = (setting: Setting) =>
      guarded.has(programOf(setting)) ? OPENING : [...OPENING, ...WITHOUT_PASSWORD];
    for (const field of placesOf(all.filter((each) => lets(each, openings(each))))) {
      report({ resource, field, allowed: "callers that are known" });
    }
  },
);

const isOn = (value: unknown) => /^(true|yes|on|1)$/i.test(String(value));
const isOff = (value: unknown) => /^(false|no|off|0)$/i.test(String(value));
/** `trust` is PostgreSQL's name for any caller. */
const isNobody = (value: unknown) => isOff(value) || /^(none|disabled?|anonymous|trust)$/i.test(String(value));
/** `server` makes Argo Workflows use its own account in place of the caller's. */
const isNobodysMode = (value: unknown) => isNobody(value) || value === "server";

const AUTH = "(auth|authentication)";

const ABOUT = /anonymous|auth|login|pass|protected|acl/i;

type Opening = readonly [name: RegExp, opens: (value: unknown) => boolean];

/** Names, as words, and values. */
const OPENING: readonly Opening[] = [
  [/^(?!.*\b(deny|disable|block|forbid|reject|prevent|hide|no)-).*\banonymous\b/, isOn],
  [/\b(deny|disable|block|forbid|reject|prevent|no)-anonymous(-(access|auth|users?))?$/, isOff],
  [new RegExp(`\\b(disable|skip|bypass|without|no)-(${AUTH}|login)$`), isOn],
  [new RegExp(`^${AUTH}-disabled$`), isOn],
  [new RegExp(`^${AUTH}$`), isNobody],
  [new RegExp(`^(${AUTH}|login)-(enabled|required)$|^(enable|require|use)-(${AUTH}|login|pass|password)$`), isOff],
  [/\b(allow-empty|no)-pass(word)?s?$|^no-?auth$/, isOn],
  [new RegExp(`^${AUTH}-(strategy|mode|type|method)s?$`), isNobodysMode],
];

/** Redis and Valkey without a password refuse remote callers unless this is off. */
const WITHOUT_PASSWORD: readonly Opening[] = [[/^protected-mode$/, isOff]];
const PASSWORDS = /^(requirepass|aclfile)$/;

function isPassword({ names, values }: Setting): boolean {
  return names.some((name) => PASSWORDS.test(name)) && !values.some((value) => value.is((text) => !isText(text)));
}

/** Its container, or the whole object. */
function programOf({ at }: Setting): string {
  return /^.*\b(?:init|ephemeral)?containers\[\d+\]/i.exec(at.path)?.[0] ?? "";
}

/** An option without a value is `true`. */
const isText = (value: unknown) => typeof value === "string" && value !== "" && value !== "true";

/** Anonymous usage reports and limits, and senders of mail. */
const ELSEWHERE = /\b(usage|telemetry|statistics|stats|analytics|reporting|tracking|rate-?limits?|smtp|e?mail)\b/;

function lets({ names, path, values }: Setting, openings: readonly Opening[]): boolean {
  return (
    !ELSEWHERE.test(path) &&
    openings.some(
      ([pattern, opens]) => names.some((name) => pattern.test(name)) && values.some((value) => value.is(opens)),
    )
  );
}
