import { HELM_RELEASE } from "../../kubernetes/resource-types";
import roles from "../data/cluster-admin-charts.json";
import { administeringRole, anybodyAsSubject, isSystems, waysToAdmin } from "../lib/cluster-rights";
import { type Field, isObject } from "../lib/field";
import { helmValues } from "../lib/helm-values";
import { resourcePolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";
import { broken, isTrue, type Row } from "../lib/rows";
import { selectsAll } from "../lib/selectors";

/** Their roles would be reported in the program. */
const CHARTS: ReadonlyMap<string, { readonly role: string; readonly grants: string }> = new Map(
  Object.entries(roles.charts),
);

/** Their projects retired both. */
const ADD_ONS: readonly Row[] = ["isKubernetesDashboardEnabled", "isTillerEnabled"].map((name) => ({
  on: ["oci:ContainerEngine/cluster:Cluster"],
  path: `options.addOns.${name}`,
  isWrong: isTrue,
  allowed: "false: it runs with all rights in the cluster",
}));

/** A certificate of the API server's signers stays valid whatever roles say. */
const OTHERS: readonly Row[] = [
  {
    on: ["CertificateSigningRequest"],
    path: "spec.signerName",
    isWrong: (signer) => String(signer).startsWith("kubernetes.io/kube-apiserver-client"),
    allowed: "a signer of one's own: this one's certificates make callers of the API server, administrators too",
  },
];
const ROWS = [...ADD_ONS, ...OTHERS];

interface Way {
  readonly field: Field;
  readonly found?: string;
  readonly allowed: string;
}

const ANYBODY = /^(\*|system:(anonymous|authenticated|unauthenticated|serviceaccounts(:.*)?))$/;

export const noClusterAdmin = resourcePolicy(
  {
    name: "no-cluster-admin",
    description:
      "No role grants every verb on every resource or what leads there (escalate, bind, impersonate, all Secrets, nodes/proxy, commands in pods, tokens, certificates, webhooks, pods and volumes of the whole cluster), also not one that a known chart or add-on brings; none is bound to cluster-admin or to the system's own roles, and nothing to anonymous callers or to all accounts of a namespace.",
    severity: "high",
    enforcementLevel: "advisory",
    tags: ["isolation", "rbac"],
    remediationSteps:
      "List the API groups, resources and verbs that the program calls. What a section accepts by acknowledgeClusterAdmin cannot have fewer: nothing is left to do.",
  },
  (resource, report) => {
    for (const way of [
      ...inRole(resource),
      ...inBinding(resource),
      ...inChart(resource),
      ...inValues(resource),
      ...broken(ROWS, resource),
      ...beforeEverybody(resource),
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
      .filter((each) => selectsAll(each) || gathersOwn(each))
      .map((field) => ({
        field,
        allowed:
          "labels of the roles to gather: what leaves none out, or asks for the API server's own, takes cluster-admin",
      })),
  ];
}

/** Of the API server's built-in roles, cluster-admin among them. */
const OWN_ROLES = "kubernetes.io/bootstrapping";

function gathersOwn(selector: Field): boolean {
  return (
    selector.get("matchLabels", OWN_ROLES).is((value) => value !== undefined) ||
    selector
      .get("matchExpressions")
      .items()
      .some((each) => each.get("key").is((key) => key === OWN_ROLES))
  );
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

function beforeEverybody({ kind, props }: Resource): Way[] {
  const level = props.get("spec", "priorityLevelConfiguration", "name");
  if (kind !== "FlowSchema" || !level.is((name) => name === "exempt")) {
    return [];
  }
  return props
    .get("spec", "rules")
    .items()
    .flatMap((rule) => rule.get("subjects").items())
    .flatMap((subject) => ["group", "user"].map((type) => subject.get(type, "name")))
    .filter((field) => field.is((name) => ANYBODY.test(String(name))))
    .map((field) => ({ field, allowed: "named callers: others would keep the API server from everybody" }));
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

/** Rules of roles by shape, and names of such roles. */
function inValues(resource: Resource): Way[] {
  return helmValues(resource).flatMap(({ key, field }): Way[] => {
    if (isObject(field.value)) {
      return field.get("verbs").is(Array.isArray) ? waysToAdmin(field, true) : [];
    }
    if (Array.isArray(field.value)) {
      return field
        .items()
        .filter((item) => item.get("verbs").is(Array.isArray))
        .flatMap((rule) => waysToAdmin(rule, true));
    }
    const isRole = /role/i.test(key) && administeringRole(field, true);
    const isSwitch = /^(is)?cluster-?admin(istrator)?/i.test(key) && field.is((value) => value === true);
    return isRole || isSwitch ? [{ field, allowed: "a role with what the chart's program calls" }] : [];
  });
}
