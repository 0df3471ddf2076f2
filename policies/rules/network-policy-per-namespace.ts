import type { Field } from "../lib/field";
import { stackPolicy } from "../lib/policy";
import { HELM_RELEASE, namespaceOf, type Resource } from "../lib/resource";

const DIRECTIONS = ["Ingress", "Egress"] as const;

export const networkPolicyPerNamespace = stackPolicy(
  {
    name: "network-policy-per-namespace",
    description:
      "Every namespace that the stack creates denies all traffic by default, in and out; allowances are separate policies.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "network"],
    remediationSteps: "Create the namespace with IsolatedNamespace, which brings the policies along.",
  },
  (resources, report) => {
    const denials = resources.filter(({ kind }) => kind === "NetworkPolicy").filter(isDefault);
    for (const resource of resources) {
      const name = createdNamespace(resource);
      if (!name?.is((value) => typeof value === "string")) {
        continue;
      }
      const missing = DIRECTIONS.filter(
        (direction) => !denials.some((policy) => covers(policy, name) && denies(policy, direction)),
      );
      if (missing.length > 0) {
        report({
          resource,
          field: name,
          found: `has no default-deny NetworkPolicy for ${missing.join(" and ")}`,
          allowed: "a NetworkPolicy with an empty podSelector and no rules for both directions",
        });
      }
    }
  },
);

function createdNamespace(resource: Resource): Field | undefined {
  if (resource.kind === "Namespace") {
    return resource.props.get("metadata", "name");
  }
  const createdByHelm =
    resource.type === HELM_RELEASE && resource.props.get("createNamespace").is((value) => value === true);
  return createdByHelm ? resource.props.get("namespace") : undefined;
}

/** A policy whose namespace or content is unknown gets the benefit of the doubt; the result is then undecided. */
function covers(policy: Resource, namespace: Field): boolean {
  return !namespaceOf(policy).is((value) => value !== namespace.value);
}

function isDefault({ props }: Resource): boolean {
  const selector = props.get("spec", "podSelector");
  return isEmpty(selector.get("matchLabels")) && isEmpty(selector.get("matchExpressions"));
}

function denies({ props }: Resource, direction: (typeof DIRECTIONS)[number]): boolean {
  const types = props.get("spec", "policyTypes");
  return (
    !types.is((value) => !Array.isArray(value) || !value.includes(direction)) &&
    isEmpty(props.get("spec", direction.toLowerCase()))
  );
}

function isEmpty(field: Field): boolean {
  return !field.is((value) => value !== undefined && value !== null && Object.keys(value).length > 0);
}
