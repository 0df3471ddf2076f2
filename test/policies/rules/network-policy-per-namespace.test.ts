import { networkPolicyPerNamespace } from "../../../policies/rules/network-policy-per-namespace";
import { object, policyCases, release, UNKNOWN } from "../cases";

const namespace = object("core/v1", "Namespace", {}, { name: "model-chat" });
const policy = (spec: object, inNamespace: unknown = "model-chat") =>
  object("networking.k8s.io/v1", "NetworkPolicy", { spec }, { name: "default-deny", namespace: inNamespace });
const both = { podSelector: {}, policyTypes: ["Ingress", "Egress"] };

policyCases(networkPolicyPerNamespace, [
  ["one policy for both directions", [namespace, policy(both)], "pass"],
  [
    "one policy each",
    [
      namespace,
      policy({ ...both, policyTypes: ["Ingress"] }),
      policy({ ...both, policyTypes: ["Egress"], egress: [] }),
    ],
    "pass",
  ],
  ["no namespace of ours", [], "pass"],
  [
    "none",
    [namespace],
    ['Namespace "model-chat": metadata.name has no default-deny NetworkPolicy for Ingress and Egress'],
  ],
  ["one direction only", [namespace, policy({ ...both, policyTypes: ["Ingress"] })], ["for Egress;"]],
  [
    "for some pods only",
    [namespace, policy({ ...both, podSelector: { matchLabels: { app: "x" } } })],
    ["Ingress and Egress"],
  ],
  ["with an allowance", [namespace, policy({ ...both, ingress: [{}] })], ["for Ingress;"]],
  ["in another namespace", [namespace, policy(both, "other")], ["Ingress and Egress"]],
  ["a namespace that Helm creates", [release({ createNamespace: true })], ["namespace has no default-deny"]],
  ["unknown namespace of the policy", [namespace, policy(both, UNKNOWN)], "unknown"],
  ["unknown policy", [namespace, policy({ ...both, policyTypes: UNKNOWN })], "unknown"],
  ["unknown namespace", [object("core/v1", "Namespace", {}, { name: UNKNOWN })], "unknown"],
]);
