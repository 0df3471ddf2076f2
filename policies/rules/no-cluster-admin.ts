import { HELM_RELEASE } from "../../kubernetes/resource-types";
import roles from "../data/cluster-admin-charts.json";
import { type Field, isObject } from "../lib/field";
import { resourcePolicy } from "../lib/policy";

/** Charts whose roles would be reported if they stood in the program. */
const CHARTS: ReadonlyMap<string, { readonly role: string; readonly grants: string }> = new Map(
  Object.entries(roles.charts),
);

/** Names that stand for whoever reaches the API server. */
const ANYBODY = ["system:anonymous", "system:unauthenticated", "system:authenticated", "system:serviceaccounts"];

/** Who may do all of these needs no `*`. */
const WRITING = ["create", "update", "patch", "delete"];

export const noClusterAdmin = resourcePolicy(
  {
    name: "no-cluster-admin",
    description:
      "No role grants every verb on every resource or what leads there (escalate, bind, impersonate, all Secrets, nodes/proxy), also not one that a known chart brings; none is bound to cluster-admin, and nothing to anonymous callers.",
    severity: "high",
    enforcementLevel: "advisory",
    tags: ["isolation", "rbac"],
    remediationSteps: "List the API groups, resources and verbs that the program calls.",
  },
  (resource, report) => {
    if (resource.kind === "ClusterRole" || resource.kind === "Role") {
      for (const rule of resource.props.get("rules").items()) {
        const all = rule.get("verbs").is((verbs) => isWildcard(verbs) || isEveryVerb(verbs));
        if (all && rule.get("resources").is(isWildcard)) {
          report({ resource, field: rule, allowed: "named verbs and resources" });
          continue;
        }
        for (const { field, allowed } of waysToAdmin(rule, resource.kind === "ClusterRole")) {
          report({ resource, field, allowed });
        }
      }
      const selectors = resource.props.get("aggregationRule", "clusterRoleSelectors");
      for (const selector of selectors.items().filter((each) => each.is(selectsAll))) {
        report({
          resource,
          field: selector,
          allowed: "labels of the roles to gather: an empty selector takes every role",
        });
      }
    }
    if (resource.kind === "ClusterRoleBinding" || resource.kind === "RoleBinding") {
      const role = resource.props.get("roleRef", "name");
      if (role.is((value) => value === "cluster-admin")) {
        report({ resource, field: role, allowed: "a role with what the subject needs" });
      }
      for (const subject of resource.props.get("subjects").items()) {
        const name = subject.get("name");
        if (name.is((value) => ANYBODY.includes(String(value)))) {
          report({ resource, field: name, allowed: "named users, groups or service accounts" });
        }
      }
    }
    if (resource.type === HELM_RELEASE) {
      const field = resource.props.get("chart");
      const brought = CHARTS.get(field.text()?.split("/").at(-1) ?? "");
      if (brought) {
        const found = `has the ClusterRole "${brought.role}" in it: ${brought.grants}`;
        report({ resource, field, found, allowed: "charts whose roles name what their program calls" });
      }
    }
  },
);

/** Verbs by which one gives oneself any right, or takes anybody's. */
const ESCALATING = ["bind", "escalate", "impersonate"];
const READING = ["get", "list", "watch", "*"];

function waysToAdmin(rule: Field, isClusterWide: boolean): { field: Field; allowed: string }[] {
  const holds = (key: string, names: readonly string[]) =>
    rule.get(key).is((value) => Array.isArray(value) && value.some((item) => names.includes(String(item))));
  const unnamed = rule.get("resourceNames").items().length === 0;
  return [
    ...(holds("verbs", ESCALATING) && unnamed
      ? [{ field: rule.get("verbs"), allowed: "no bind, escalate or impersonate without resourceNames" }]
      : []),
    ...(holds("resources", ["secrets", "*"]) && holds("verbs", READING) && unnamed && isClusterWide
      ? [{ field: rule.get("resources"), allowed: "Secrets of one namespace, or by resourceNames" }]
      : []),
    ...(holds("resources", ["nodes/proxy", "nodes/*"])
      ? [{ field: rule.get("resources"), allowed: "no nodes/proxy: it runs commands in every pod of a node" }]
      : []),
    ...(holds("nonResourceURLs", ["*", "/*"])
      ? [{ field: rule.get("nonResourceURLs"), allowed: "named paths of the API server" }]
      : []),
  ];
}

function selectsAll(selector: Field["value"]): boolean {
  return isObject(selector) && Object.keys(selector).length === 0;
}

function isWildcard(value: Field["value"]): boolean {
  return Array.isArray(value) && value.includes("*");
}

function isEveryVerb(value: Field["value"]): boolean {
  return Array.isArray(value) && WRITING.every((verb) => value.includes(verb));
}
