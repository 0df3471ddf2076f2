import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { cidrContains } from "../../names/cidr";
import type { Field } from "../lib/field";
import { type Finding, stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

/** Where a policy has the rules of a direction, and these their peers. */
const DIRECTIONS = {
  Ingress: { rules: "ingress", peers: "from" },
  Egress: { rules: "egress", peers: "to" },
} as const;

export const networkPolicyPerNamespace = stackPolicy(
  {
    name: "network-policy-per-namespace",
    description:
      "Every namespace that the stack creates denies all traffic by default, in and out: one policy selects all its pods in both directions and lets them reach named peers only. Rules name peers or ports, and never reach the cloud's metadata service.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "network"],
    remediationSteps:
      "Create the namespace with IsolatedNamespace, which brings the policies along, and declare its connections (components/core/connections.ts).",
  },
  (resources, report) => {
    const policies = resources.filter(({ kind }) => kind === "NetworkPolicy");
    for (const resource of policies) {
      for (const finding of tooWide(resource)) {
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

/** The same in every cloud. */
const METADATA_SERVICE = "169.254.169.254";

function tooWide({ props }: Resource): Omit<Finding, "resource">[] {
  const ingress = props.get("spec", "ingress").items();
  const egress = props.get("spec", "egress").items();
  const open = (rule: Field, peers: string) => isEmpty(rule.get(peers)) && isEmpty(rule.get("ports"));
  const lettingAll = [...ingress.filter((rule) => open(rule, "from")), ...egress.filter((rule) => open(rule, "to"))];
  const blocks = egress.flatMap((rule) => rule.get("to").items()).map((peer) => peer.get("ipBlock"));
  return [
    ...lettingAll.map((field) => ({ field, found: "is open to everything", allowed: "rules with peers or ports" })),
    ...blocks
      .filter((block) => reaches(block, METADATA_SERVICE))
      .map((field) => ({
        field,
        found: "has the cloud's metadata service in it, by which a pod becomes its node",
        allowed: `a block without ${METADATA_SERVICE}, for example by except: ["169.254.0.0/16"]`,
      })),
  ];
}

function reaches(block: Field, address: string): boolean {
  const contains = (cidr: Field) => cidr.is((value) => typeof value === "string" && cidrContains(value, address));
  return contains(block.get("cidr")) && !block.get("except").items().some(contains);
}

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

/** All of them, but what it names: a rule without peers would open every pod of the namespace to everybody. */
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
