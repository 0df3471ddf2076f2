import type { Field } from "../lib/field";
import { isObject } from "../lib/field";
import { helmValues } from "../lib/helm-values";
import { resourcePolicy } from "../lib/policy";

export const chartAuthentication = resourcePolicy(
  {
    name: "chart-authentication",
    description:
      "What Helm charts bring asks who calls: no value lets anonymous callers in, switches authentication off, or skips a login.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "authentication"],
    remediationSteps: "Leave authentication on, with a password or a client of the identity provider in a Secret.",
  },
  (resource, report) => {
    for (const { key, field } of helmValues(resource)) {
      for (const each of [...switches(key, field), ...options(field)]) {
        report({ resource, field: each, allowed: "callers that are known" });
      }
    }
  },
);

const ANONYMOUS = /anonymous/i;
const AUTHENTICATION = /^auth(entication)?$/i;
const OFF = /^(disable-?_?(auth|login)|skip-?_?(auth|login)|no-?_?auth)/i;
const ON = /^(auth|authentication|login)-?_?enabled$/i;

const isTrue = (value: unknown) => value === true || value === "true";
const isFalse = (value: unknown) => value === false || value === "false";

/** The value by which a key opens. */
function switches(key: string, field: Field): Field[] {
  const enabled = isObject(field.value) ? field.get("enabled") : field;
  const isOpen =
    (ANONYMOUS.test(key) && enabled.is(isTrue)) ||
    (OFF.test(key) && enabled.is(isTrue)) ||
    (AUTHENTICATION.test(key) && enabled.is(isFalse)) ||
    (ON.test(key) && field.is(isFalse));
  return isOpen ? [enabled] : [];
}

/** Options of programs that do. */
const OPTION =
  /^--?(anonymous-auth|auth\.anonymous\.enabled|enable-skip-login|disable-(auth|authentication|login)|no-auth|skip-auth|insecure-disable-auth)(=true)?$|^--?auth(entication)?(-enabled)?=(false|none|off)$/i;

function options(field: Field): Field[] {
  const items = Array.isArray(field.value) ? field.items() : [];
  return items.filter((item) => item.is((value) => typeof value === "string" && OPTION.test(value)));
}
