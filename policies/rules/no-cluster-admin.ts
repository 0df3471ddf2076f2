import roles from "../data/cluster-admin-charts.json";
import type { Field } from "../lib/field";
import { resourcePolicy } from "../lib/policy";
import { HELM_RELEASE } from "../lib/resource";

/** Charts whose roles would be reported if they stood in the program. */
const CHARTS: ReadonlyMap<string, { readonly role: string; readonly grants: string }> = new Map(
  Object.entries(roles.charts),
);

/** Who may do all of these needs no `*`. */
const WRITING = ["create", "update", "patch", "delete"];

export const noClusterAdmin = resourcePolicy(
  {
    name: "no-cluster-admin",
    description:
      "No role grants every verb on every resource, also not one that a known chart brings, and none is bound to cluster-admin.",
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
        }
      }
    }
    if (resource.kind === "ClusterRoleBinding" || resource.kind === "RoleBinding") {
      const role = resource.props.get("roleRef", "name");
      if (role.is((value) => value === "cluster-admin")) {
        report({ resource, field: role, allowed: "a role with what the subject needs" });
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

function isWildcard(value: Field["value"]): boolean {
  return Array.isArray(value) && value.includes("*");
}

function isEveryVerb(value: Field["value"]): boolean {
  return Array.isArray(value) && WRITING.every((verb) => value.includes(verb));
}
