import { admissionEnforced } from "../../../policies/rules/admission-enforced";
import { object, policyCases, UNKNOWN } from "../cases";

const admission = (kind: string, body: Readonly<Record<string, unknown>>) =>
  object("admissionregistration.k8s.io/v1", kind, body);
const binding = (spec: object) => [
  admission("ValidatingAdmissionPolicyBinding", { spec: { policyName: "a", ...spec } }),
];
const policy = (spec: object) => [admission("ValidatingAdmissionPolicy", { spec })];
const SERVICE = { clientConfig: { service: { name: "a", namespace: "b" } }, failurePolicy: "Fail" };
const ALL = [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"] }];
const webhook = (changes: object, kind = "MutatingWebhookConfiguration") => [
  admission(kind, { webhooks: [{ ...SERVICE, rules: [{ apiGroups: [""], resources: ["pods"] }], ...changes }] }),
];

policyCases(admissionEnforced, [
  ["a policy that denies", binding({ validationActions: ["Deny"] }), "pass"],
  ["one that denies and writes it down", binding({ validationActions: ["Deny", "Audit"] }), "pass"],
  ["one that only writes it down", binding({ validationActions: ["Audit"] }), ['spec.validationActions is ["Audit"]']],
  ["one without an action", binding({}), ["spec.validationActions is not set"]],
  [
    "one that lets pass what its parameter does not know",
    binding({ validationActions: ["Deny"], paramRef: { parameterNotFoundAction: "Allow" } }),
    ['parameterNotFoundAction is "Allow"'],
  ],
  ["unknown actions", binding({ validationActions: UNKNOWN }), "unknown"],
  ["a policy that fails closed", policy({ failurePolicy: "Fail", validations: [{ expression: "has(a)" }] }), "pass"],
  ["a policy that fails open", policy({ failurePolicy: "Ignore" }), ['spec.failurePolicy is "Ignore"']],
  ["a policy that holds always", policy({ validations: [{ expression: "(true)" }] }), ["a condition that something"]],
  ["an unknown policy", policy({ failurePolicy: UNKNOWN }), "unknown"],
  ["a webhook of the cluster", webhook({}), "pass"],
  ["a webhook on the internet", webhook({ clientConfig: { url: "https://a.example" } }), ["reads every object"]],
  ["a webhook that fails open", webhook({ failurePolicy: "Ignore" }), ['failurePolicy is "Ignore"']],
  ["a webhook that changes everything", webhook({ rules: ALL }), ["resources by name, or a selector"]],
  [
    "a webhook that changes everything of some namespaces",
    webhook({ rules: ALL, namespaceSelector: { matchLabels: { a: "b" } } }),
    "pass",
  ],
  ["a webhook that judges everything", webhook({ rules: ALL }, "ValidatingWebhookConfiguration"), "pass"],
  ["an unknown webhook", webhook({ clientConfig: UNKNOWN }), "unknown"],
  [
    "conversion by a server elsewhere",
    [
      object("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
        spec: { conversion: { webhook: { clientConfig: { url: "https://a.example" } } } },
      }),
    ],
    ["spec.conversion.webhook.clientConfig.url is"],
  ],
  [
    "an API without a certificate",
    [object("apiregistration.k8s.io/v1", "APIService", { spec: { insecureSkipTLSVerify: true } })],
    ["false, with caBundle"],
  ],
]);
