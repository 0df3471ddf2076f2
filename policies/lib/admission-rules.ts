import type { Field } from "./field";
import type { Resource } from "./resource";
import { selectsAll } from "./selectors";

interface Finding {
  readonly field: Field;
  readonly found?: string;
  readonly allowed: string;
}

/** Webhook rules that match every resource, or that receive every Secret. */
export function unnamedResources({ kind, props }: Resource): Finding[] {
  if (kind !== "MutatingWebhookConfiguration" && kind !== "ValidatingWebhookConfiguration") {
    return [];
  }
  return props
    .get("webhooks")
    .items()
    .filter((webhook) => selectsAll(webhook.get("namespaceSelector")) && selectsAll(webhook.get("objectSelector")))
    .flatMap((webhook) => webhook.get("rules").items())
    .filter((rule) => holds(rule.get("apiGroups"), "", "*"))
    .flatMap((field) => {
      const resources = field.get("resources");
      if (holds(resources, "*", "*/*")) {
        return [{ field, allowed: "resources by name, or a selector" }];
      }
      return holds(resources, "secrets", "secrets/*")
        ? [
            {
              field,
              found: "is shown every Secret",
              allowed: "other resources, or a selector of namespaces or objects",
            },
          ]
        : [];
    });
}

/** An admission policy or binding that excludes everything it is for. */
export function excludedWhole({ kind, props }: Resource): Finding[] {
  const path = {
    ValidatingAdmissionPolicy: "matchConstraints",
    MutatingAdmissionPolicy: "matchConstraints",
    ValidatingAdmissionPolicyBinding: "matchResources",
    MutatingAdmissionPolicyBinding: "matchResources",
  }[kind ?? ""];
  if (path === undefined) {
    return [];
  }
  const match = props.get("spec", path);
  const excluded = match.get("excludeResourceRules");
  const [rules, exclusions] = [match.get("resourceRules").items(), excluded.items()];
  const isWhole =
    exclusions.some(isEverything) ||
    (rules.length > 0 && rules.every((rule) => exclusions.some((exclusion) => includes(exclusion, rule))));
  return isWhole
    ? [
        {
          field: excluded,
          found: "leaves out all that it is for",
          allowed: "resources by name, so that some remain",
        },
      ]
    : [];
}

function isEverything(rule: Field): boolean {
  return (
    holds(rule.get("apiGroups"), "*") &&
    holds(rule.get("resources"), "*", "*/*") &&
    holds(rule.get("operations"), "*") &&
    rule.get("resourceNames").is(isAbsent)
  );
}

function includes(outer: Field, inner: Field): boolean {
  const lists = ["apiGroups", "apiVersions", "operations", "resources"];
  return (
    outer.get("resourceNames").is(isAbsent) &&
    lists.every((name) => {
      const items = inner.get(name).items();
      return (
        items.length > 0 &&
        items.every((item) => item.is((value) => holds(outer.get(name), String(value), ...wider(name, String(value)))))
      );
    })
  );
}

/** `*` of resources covers subresources such as `pods/exec`. */
function wider(list: string, value: string): string[] {
  if (list !== "resources") {
    return ["*"];
  }
  const [resource, below] = value.split("/");
  return below === undefined ? ["*", "*/*"] : ["*/*", `${resource}/*`, `*/${below}`];
}

function holds(list: Field, ...values: readonly string[]): boolean {
  return list.items().some((item) => item.is((value) => values.includes(String(value))));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
