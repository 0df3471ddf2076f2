import { type Field, isObject } from "../lib/field";
import { resourcePolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";
import { broken, isGiven, isTrue, type Row } from "../lib/rows";

const WEBHOOKS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const NOT_ITS_OWN =
  "clientConfig.service of the cluster: a server elsewhere reads every object, Secrets too, and changes it";

const ROWS: readonly Row[] = [
  {
    on: ["ValidatingAdmissionPolicyBinding"],
    path: "spec.validationActions",
    isWrong: (actions) => !Array.isArray(actions) || !actions.includes("Deny"),
    allowed: '["Deny"]: everything else lets pass',
  },
  {
    on: ["ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding"],
    path: "spec.paramRef.parameterNotFoundAction",
    isWrong: (action) => action === "Allow",
    allowed: "Deny",
  },
  {
    on: ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"],
    path: "spec.failurePolicy",
    isWrong: (policy) => policy === "Ignore",
    allowed: "Fail",
  },
  {
    on: ["ValidatingAdmissionPolicy"],
    path: "spec.validations[].expression",
    isWrong: (expression) => typeof expression === "string" && expression.replace(/[\s()]/g, "") === "true",
    allowed: "a condition that something can fail",
  },
  {
    on: WEBHOOKS,
    path: "webhooks[].failurePolicy",
    isWrong: (policy) => policy === "Ignore",
    allowed: "Fail",
  },
  { on: WEBHOOKS, path: "webhooks[].clientConfig.url", isWrong: isGiven, allowed: NOT_ITS_OWN },
  {
    on: ["CustomResourceDefinition"],
    path: "spec.conversion.webhook.clientConfig.url",
    isWrong: isGiven,
    allowed: NOT_ITS_OWN,
  },
  {
    on: ["APIService"],
    path: "spec.insecureSkipTLSVerify",
    isWrong: isTrue,
    allowed: "false, with caBundle",
  },
];

export const admissionEnforced = resourcePolicy(
  {
    name: "admission-enforced",
    description:
      "What guards the API server refuses: admission policies deny and fail closed, and webhooks are Services of the cluster, for named resources, that fail closed.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "admission"],
    remediationSteps:
      "Bind policies with validationActions: [Deny] and failurePolicy: Fail; give webhooks a Service and the resources that they judge.",
  },
  (resource, report) => {
    for (const finding of [...broken(ROWS, resource), ...everyRequest(resource)]) {
      report({ resource, ...finding });
    }
  },
);

/** A webhook that changes whatever is written. */
function everyRequest({ kind, props }: Resource): { field: Field; allowed: string }[] {
  if (kind !== "MutatingWebhookConfiguration") {
    return [];
  }
  const isAll = (list: Field) =>
    list.is((value) => Array.isArray(value) && value.some((item) => /^\*(\/\*)?$/.test(String(item))));
  const isEmpty = (selector: Field) => selector.is((value) => !isObject(value) || Object.keys(value).length === 0);
  return props
    .get("webhooks")
    .items()
    .filter((webhook) => isEmpty(webhook.get("namespaceSelector")) && isEmpty(webhook.get("objectSelector")))
    .flatMap((webhook) => webhook.get("rules").items())
    .filter((rule) => isAll(rule.get("apiGroups")) && isAll(rule.get("resources")))
    .map((field) => ({ field, allowed: "resources by name, or a selector" }));
}
