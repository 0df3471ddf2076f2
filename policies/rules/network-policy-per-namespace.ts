import { createdNamespace } from "../lib/created-namespaces";
import type { Field } from "../lib/field";
import { overridingRules, tooWideEgress, tooWideIngress, unreadNetworks } from "../lib/network-rules";
import { stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

const DIRECTIONS = {
  Ingress: { rules: "ingress", peers: "from" },
  Egress: { rules: "egress", peers: "to" },
} as const;

const POD_IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation";
const STACK_REFERENCE = "pulumi:pulumi:StackReference";

export const networkPolicyPerNamespace = stackPolicy(
  {
    name: "network-policy-per-namespace",
    description:
      "Every namespace that the stack creates denies all traffic by default, in and out: one policy selects all its pods in both directions and lets them reach named peers only. Rules name their peers, and never reach the cloud's metadata service, by IPv6 neither; everybody comes in at the gateway and where the API server calls. No policy of a network plugin allows past them.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "network"],
    remediationSteps:
      "Create the namespace with IsolatedNamespace, which brings the policies along, and declare its connections (components/core/connections.ts).",
  },
  (resources, report) => {
    const policies = resources.filter(({ kind, type }) => kind === "NetworkPolicy" && !type.includes("projectcalico"));
    for (const resource of policies) {
      const [spec, namespace] = [resource.props.get("spec"), namespaceOf(resource)];
      const findings = [
        ...tooWideIngress(spec, namespace),
        ...tooWideEgress(spec, () => hasPodIdentity(namespace, resources)),
        ...unreadNetworks(spec),
      ];
      for (const finding of findings) {
        report({ resource, ...finding });
      }
    }
    for (const resource of resources) {
      for (const finding of overridingRules(resource)) {
        report({ resource, ...finding });
      }
    }
    const denials = policies.filter(isDefault);
    for (const resource of resources) {
      const name = createdNamespace(resource);
      if (!name?.is((value) => typeof value === "string")) {
        continue;
      }
      const missing = (["Ingress", "Egress"] as const).filter(
        (direction) => !denials.some((policy) => covers(policy, name) && denies(policy, direction)),
      );
      if (missing.length > 0) {
        report({
          resource,
          field: name,
          found: `has no default-deny NetworkPolicy for ${missing.join(" and ")}`,
          allowed: "a NetworkPolicy with an empty podSelector for both directions, whose rules name their peers",
        });
      }
    }
  },
);

/**
 * Whether the node's agent gives these pods a cloud role. Another stack that created the cluster
 * may have granted it, unseen here; pods without a role get nothing.
 */
function hasPodIdentity(namespace: Field, resources: readonly Resource[]): boolean {
  return resources.some(
    ({ type, props }) =>
      type === STACK_REFERENCE ||
      (type === POD_IDENTITY && !props.get("namespace").is((value) => value !== namespace.value)),
  );
}

/** A policy of unknown namespace or content may apply; the result is then undecided. */
function covers(policy: Resource, namespace: Field): boolean {
  return !namespaceOf(policy).is((value) => value !== namespace.value);
}

function isDefault({ props }: Resource): boolean {
  const selector = props.get("spec", "podSelector");
  return isEmpty(selector.get("matchLabels")) && isEmpty(selector.get("matchExpressions"));
}

/** A rule without peers opens every pod of the namespace. */
function denies({ props }: Resource, direction: keyof typeof DIRECTIONS): boolean {
  const types = props.get("spec", "policyTypes");
  const { rules, peers } = DIRECTIONS[direction];
  const open = (rule: Field) => rule.get(peers).is((value) => !Array.isArray(value) || value.length === 0);
  return (
    !types.is((value) => !Array.isArray(value) || !value.includes(direction)) &&
    !props.get("spec", rules).items().some(open)
  );
}

function isEmpty(field: Field): boolean {
  return !field.is((value) => value !== undefined && value !== null && Object.keys(value).length > 0);
}
