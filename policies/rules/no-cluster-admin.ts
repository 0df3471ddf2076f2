import { HELM_RELEASE } from "../../kubernetes/resource-types";
import roles from "../data/cluster-admin-charts.json";
import { administeringRole, anybodyAsSubject, isSystems, waysToAdmin } from "../lib/cluster-rights";
import { type Field, isObject } from "../lib/field";
import { resourcePolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";
import { broken, isTrue, type Row } from "../lib/rows";

/** Charts whose roles would be reported if they stood in the program. */
const CHARTS: ReadonlyMap<string, { readonly role: string; readonly grants: string }> = new Map(
  Object.entries(roles.charts),
);

/** Add-ons of clouds that bring such roles: both were retired by their projects. */
const ADD_ONS: readonly Row[] = ["isKubernetesDashboardEnabled", "isTillerEnabled"].map((name) => ({
  on: ["oci:ContainerEngine/cluster:Cluster"],
  path: `options.addOns.${name}`,
  isWrong: isTrue,
  allowed: "false: it runs with all rights in the cluster",
}));

interface Way {
  readonly field: Field;
  readonly found?: string;
  readonly allowed: string;
}

export const noClusterAdmin = resourcePolicy(
  {
    name: "no-cluster-admin",
    description:
      "No role grants every verb on every resource or what leads there (escalate, bind, impersonate, all Secrets, nodes/proxy, commands in pods, tokens, certificates, webhooks, pods and volumes of the whole cluster), also not one that a known chart or add-on brings; none is bound to cluster-admin or to the system's own roles, and nothing to anonymous callers or to all accounts of a namespace.",
    severity: "high",
    enforcementLevel: "advisory",
    tags: ["isolation", "rbac"],
    remediationSteps: "List the API groups, resources and verbs that the program calls.",
  },
  (resource, report) => {
    for (const way of [
      ...inRole(resource),
      ...inBinding(resource),
      ...inChart(resource),
      ...broken(ADD_ONS, resource),
    ]) {
      report({ resource, ...way });
    }
  },
);

function inRole({ kind, props }: Resource): Way[] {
  if (kind !== "ClusterRole" && kind !== "Role") {
    return [];
  }
  const isClusterWide = kind === "ClusterRole" || isSystems(props.get("metadata", "namespace"));
  const selectors = props.get("aggregationRule", "clusterRoleSelectors").items();
  return [
    ...props
      .get("rules")
      .items()
      .flatMap((rule) => waysToAdmin(rule, isClusterWide)),
    ...selectors
      .filter((each) => each.is(selectsAll))
      .map((field) => ({ field, allowed: "labels of the roles to gather: an empty selector takes every role" })),
  ];
}

function selectsAll(selector: Field["value"]): boolean {
  return isObject(selector) && Object.keys(selector).length === 0;
}

function inBinding({ kind, props }: Resource): Way[] {
  if (kind !== "ClusterRoleBinding" && kind !== "RoleBinding") {
    return [];
  }
  const role = props.get("roleRef", "name");
  return [
    ...(administeringRole(role, kind === "ClusterRoleBinding" || isSystems(props.get("metadata", "namespace")))
      ? [{ field: role, allowed: "a role with what the subject needs" }]
      : []),
    ...props
      .get("subjects")
      .items()
      .filter(anybodyAsSubject)
      .map((subject) => ({
        field: subject.get("name"),
        allowed: "named users, groups or service accounts, made for what they do",
      })),
  ];
}

function inChart({ type, props }: Resource): Way[] {
  const field = props.get("chart");
  const brought = type === HELM_RELEASE ? CHARTS.get(field.text()?.split("/").at(-1) ?? "") : undefined;
  return brought === undefined
    ? []
    : [
        {
          field,
          found: `has the ClusterRole "${brought.role}" in it: ${brought.grants}`,
          allowed: "charts whose roles name what their program calls",
        },
      ];
}
