/**
 * OCI's policy language, as far as rights need it: `Allow <subject> to <verb> <resource-type> in
 * <location> [where <conditions>]`, and the conditions `ALL {…}`, `ANY {…}` and `variable = value`,
 * which matching rules of dynamic groups share. Source: docs.oracle.com, Policy Syntax
 * (iaas/Content/Identity/Concepts/policysyntax.htm) and Writing Matching Rules to Define Dynamic
 * Groups (iaas/Content/Identity/dynamicgroups), read 2026-11-23.
 */
export interface Allowance {
  /** `any-user`, `group G`, `dynamic-group id ocid1…`, `service S`. */
  readonly subject: string;
  /** `manage`, or permissions in braces. */
  readonly verb: string;
  /** Empty where permissions are listed. */
  readonly resourceType: string;
  /** `tenancy`, `compartment id ocid1…`. */
  readonly location: string;
  readonly condition: Condition | undefined;
}

export type Condition =
  | { readonly kind: "all" | "any"; readonly parts: readonly Condition[] }
  | { readonly kind: "test"; readonly variable: string; readonly operator: string; readonly value: string };

const ALLOW =
  /^allow\s+(.+?)\s+to\s+(?:(\{[^}]*\})|(\w+)\s+([\w-]+))\s+in\s+(tenancy|compartment\s+.+?)(?:\s+where\s+(.+))?$/is;

/** Undefined for other text. */
export function parseAllowance(statement: string): Allowance | undefined {
  const [, subject, permissions, verb, resourceType = "", location, where] = ALLOW.exec(statement.trim()) ?? [];
  const condition = where === undefined ? undefined : parseCondition(where);
  if (subject === undefined || location === undefined || (where !== undefined && condition === undefined)) {
    return undefined;
  }
  return {
    subject,
    verb: (permissions ?? verb ?? "").toLowerCase(),
    resourceType: resourceType.toLowerCase(),
    location: location.replace(/\s+/g, " "),
    condition,
  };
}

const TEST = /^([\w.-]+)\s*(!=|=|\bnot\s+in\b|\bin\b|\bbefore\b|\bafter\b|\bbetween\b)\s*(.+)$/is;
const GROUP = /^(all|any)\s*\{(.*)\}$/is;

/** Undefined for other text. */
export function parseCondition(text: string): Condition | undefined {
  const trimmed = text.trim();
  const [, quantifier, inside] = GROUP.exec(trimmed) ?? [];
  if (quantifier !== undefined && inside !== undefined) {
    const parts = splitList(inside).map(parseCondition);
    return parts.every((part) => part !== undefined)
      ? { kind: quantifier.toLowerCase() === "all" ? "all" : "any", parts }
      : undefined;
  }
  const [, variable, operator, value] = TEST.exec(trimmed) ?? [];
  if (variable === undefined || operator === undefined || value === undefined) {
    return isTagTest(trimmed);
  }
  return { kind: "test", variable: variable.toLowerCase(), operator: operator.toLowerCase(), value: unquoted(value) };
}

/** `tag.<namespace>.<key>.value` alone: the tag exists, with any value. */
function isTagTest(text: string): Condition | undefined {
  return /^tag\.[\w-]+\.[\w-]+\.value$/i.test(text)
    ? { kind: "test", variable: text.toLowerCase(), operator: "=", value: "present" }
    : undefined;
}

function unquoted(value: string): string {
  return value.trim().replace(/^(['"])(.*)\1$/s, "$2");
}

/** Splits at commas outside braces, parentheses and quotes. */
function splitList(text: string): string[] {
  const parts = [""];
  let depth = 0;
  let quote = "";
  for (const char of text) {
    if (quote !== "") {
      quote = char === quote ? "" : quote;
    } else if (char === "'" || char === '"') {
      quote = char;
    } else if ("{(".includes(char)) {
      depth += 1;
    } else if ("})".includes(char)) {
      depth -= 1;
    }
    if (char === "," && depth === 0 && quote === "") {
      parts.push("");
    } else {
      parts[parts.length - 1] += char;
    }
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Whether a condition holds only where a test that `binds` does. No condition binds nothing. */
export function bindsAlways(
  condition: Condition | undefined,
  binds: (test: Extract<Condition, { kind: "test" }>) => boolean,
): boolean {
  switch (condition?.kind) {
    case "all":
      return condition.parts.some((part) => bindsAlways(part, binds));
    case "any":
      return condition.parts.length > 0 && condition.parts.every((part) => bindsAlways(part, binds));
    case "test":
      return (
        (condition.operator === "=" || condition.operator === "in") &&
        !/^\/?\**\/?$/.test(condition.value) &&
        // OCIDs of a type share a prefix: a pattern such as `/ocid1.vaultsecret.*/` names none.
        !(/(^|[._])id$/.test(condition.variable) && condition.value.includes("*")) &&
        binds(condition)
      );
    default:
      return false;
  }
}
