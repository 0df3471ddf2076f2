import { excludedWhole, unnamedResources } from "../lib/admission-rules";
import { resourcePolicy } from "../lib/policy";
import { broken, isGiven, isTrue, type Row } from "../lib/rows";

const WEBHOOKS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
const NOT_ITS_OWN =
  "clientConfig.service of the cluster: a server elsewhere reads every object, Secrets too, and changes it";

/** A CEL constant in any notation. */
function always(word: "true" | "false"): (expression: unknown) => boolean {
  const negated = word === "true" ? "!false" : "!true";
  return (expression) => typeof expression === "string" && [word, negated].includes(expression.replace(/[\s()]/g, ""));
}

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
    isWrong: always("true"),
    allowed: "a condition that something can fail",
  },
  {
    on: ["ValidatingAdmissionPolicy"],
    path: "spec.validations",
    isWrong: (validations) => !Array.isArray(validations) || validations.length === 0,
    found: "is empty: it refuses nothing",
    allowed: "a condition that something can fail",
  },
  {
    on: ["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"],
    path: "spec.matchConditions[].expression",
    isWrong: always("false"),
    allowed: "a condition that something can meet",
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
    for (const finding of [...broken(ROWS, resource), ...unnamedResources(resource), ...excludedWhole(resource)]) {
      report({ resource, ...finding });
    }
  },
);
