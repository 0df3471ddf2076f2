import { helmSettings, type Setting } from "../lib/helm-settings";
import { resourcePolicy } from "../lib/policy";

export const chartAuthentication = resourcePolicy(
  {
    name: "chart-authentication",
    description:
      "What Helm charts bring asks who calls: no value, variable, option or line of a file lets anonymous callers in, switches authentication off, or skips a login.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "authentication"],
    remediationSteps: "Leave authentication on, with a password or a client of the identity provider in a Secret.",
  },
  (resource, report) => {
    for (const setting of helmSettings(resource).filter(lets)) {
      report({ resource, field: setting.at, allowed: "callers that are known" });
    }
  },
);

const isOn = (value: unknown) => /^(true|yes|on|1)$/i.test(String(value));
const isOff = (value: unknown) => /^(false|no|off|0)$/i.test(String(value));
const isNobody = (value: unknown) => isOff(value) || /^(none|disabled?|anonymous)$/i.test(String(value));
/** `server` is Argo Workflows' name for its own account in place of the caller's. */
const isNobodysMode = (value: unknown) => isNobody(value) || value === "server";

const AUTH = "(auth|authentication)";

/** Names, as words, and the values by which they open. */
const OPENING: readonly (readonly [name: RegExp, opens: (value: unknown) => boolean])[] = [
  [/^(?!.*\b(deny|disable|block|forbid|reject|prevent|hide|no)-).*\banonymous\b/, isOn],
  [/\b(deny|disable|block|forbid|reject|prevent|no)-anonymous(-(access|auth|users?))?$/, isOff],
  [new RegExp(`\\b(disable|skip|bypass|without|no)-(${AUTH}|login)$`), isOn],
  [new RegExp(`^${AUTH}-disabled$`), isOn],
  [new RegExp(`^${AUTH}$`), isNobody],
  [new RegExp(`^(${AUTH}|login)-(enabled|required)$|^(enable|require|use)-(${AUTH}|login|pass|password)$`), isOff],
  [new RegExp(`^${AUTH}-(strategy|mode|type|method)s?$`), isNobodysMode],
];

/** What is anonymous of reports about usage, and of limits; and who sends mail. */
const ELSEWHERE = /\b(usage|telemetry|statistics|stats|analytics|reporting|tracking|rate-?limits?|smtp|e?mail)\b/;

function lets({ names, path, values }: Setting): boolean {
  return (
    !ELSEWHERE.test(path) &&
    OPENING.some(
      ([pattern, opens]) => names.some((name) => pattern.test(name)) && values.some((value) => value.is(opens)),
    )
  );
}
