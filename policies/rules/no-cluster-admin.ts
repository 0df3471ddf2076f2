import { resourcePolicy } from "../lib/policy";

export const noClusterAdmin = resourcePolicy(
  {
    name: "no-cluster-admin",
    description: "No role grants every verb on every resource, and none is bound to cluster-admin.",
    severity: "high",
    enforcementLevel: "advisory",
    tags: ["isolation", "rbac"],
    remediationSteps: "List the API groups, resources and verbs that the program calls.",
  },
  (resource, report) => {
    if (resource.kind === "ClusterRole" || resource.kind === "Role") {
      for (const rule of resource.props.get("rules").items()) {
        const isWildcard = (property: string) =>
          rule.get(property).is((value) => Array.isArray(value) && value.includes("*"));
        if (isWildcard("verbs") && isWildcard("resources")) {
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
  },
);
