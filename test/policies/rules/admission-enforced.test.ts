import { admissionEnforced } from "../../../policies/rules/admission-enforced";
import { object, policyCases, UNKNOWN } from "../cases";

const admission = (kind: string, body: Readonly<Record<string, unknown>>) =>
  object("admissionregistration.k8s.io/v1", kind, body);
const binding = (spec: object) => [
  admission("ValidatingAdmissionPolicyBinding", { spec: { policyName: "a", ...spec } }),
];
const REAL = [{ expression: "has(object.a)" }];
const PODS = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const policy = (spec: object) => [admission("ValidatingAdmissionPolicy", { spec: { validations: REAL, ...spec } })];
const excluding = (...excludeResourceRules: object[]) =>
  policy({ matchConstraints: { resourceRules: [PODS], excludeResourceRules } });
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
  ["a policy that asks nothing", policy({ validations: [] }), ["spec.validations is empty"]],
  ["a policy that holds never", policy({ matchConditions: [{ name: "a", expression: "false" }] }), ["can meet"]],
  ["a policy that holds sometimes", policy({ matchConditions: [{ name: "a", expression: "has(object.a)" }] }), "pass"],
  ["a policy for nothing", excluding(PODS), ["leaves out all that it is for"]],
  ["a policy for less", excluding({ ...PODS, resourceNames: ["a"] }), "pass"],
  ["a policy for pods but not other things", excluding({ ...PODS, resources: ["pods/exec"] }), "pass"],
  [
    "a binding for nothing",
    binding({ validationActions: ["Deny"], matchResources: { excludeResourceRules: ALL } }),
    ["leaves out all that it is for"],
  ],
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
  [
    "a webhook that judges everything",
    webhook({ rules: ALL }, "ValidatingWebhookConfiguration"),
    ["resources by name, or a selector"],
  ],
  [
    "a webhook for everything, by another spelling",
    webhook({ rules: [{ apiGroups: ["*"], resources: ["*/*"] }] }),
    ["resources by name, or a selector"],
  ],
  [
    "a webhook for everything without a group",
    webhook({ rules: [{ apiGroups: [""], resources: ["*"] }] }),
    ["resources by name, or a selector"],
  ],
  [
    "a webhook for everything without a label",
    webhook({ rules: ALL, namespaceSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } }),
    ["resources by name, or a selector"],
  ],
  ["a webhook for a group", webhook({ rules: [{ apiGroups: ["keda.sh"], resources: ["*"] }] }), "pass"],
  [
    "a webhook for all Secrets",
    webhook({ rules: [{ apiGroups: [""], resources: ["secrets"] }] }, "ValidatingWebhookConfiguration"),
    ["rules[0] is shown every Secret"],
  ],
  [
    "a webhook for Secrets with a label",
    webhook({ rules: [{ apiGroups: [""], resources: ["secrets"] }], objectSelector: { matchLabels: { a: "b" } } }),
    "pass",
  ],
  ["a webhook for nobody knows which namespaces", webhook({ rules: ALL, namespaceSelector: UNKNOWN }), "unknown"],
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
