import data from "../data/cluster-rights.json";
import type { Field } from "./field";

interface Way {
  readonly resources: readonly string[];
  /** `*any`: whatever the verb. */
  readonly verbs: readonly string[];
  /** Harmless in one namespace. @default false */
  readonly clusterWide?: boolean;
  /** Harmless on objects by name. @default false */
  readonly unnamed?: boolean;
  /** Objects that escalate even by name. */
  readonly names?: readonly string[];
  readonly leads: string;
}

const WAYS: readonly Way[] = data.rows;
const ANY_VERB = "*any";
/** All of these together equal `*`. */
const WRITING = ["create", "update", "patch", "delete"];
/** Verbs to grant oneself rights or take over an identity. */
const ESCALATING = ["bind", "escalate", "impersonate"];
/** Constrained impersonation, beta, on in Kubernetes 1.36; `impersonate-on:` alone grants none. */
const IMPERSONATING = ["user-info", "serviceaccount", "arbitrary-node"].map((mode) => `impersonate:${mode}`);

interface Finding {
  readonly field: Field;
  readonly allowed: string;
}

export function waysToAdmin(rule: Field, isClusterWide: boolean): Finding[] {
  const names = rule.get("resourceNames").items();
  const isUnnamed = names.length === 0;
  const [verbs, resources] = [rule.get("verbs"), rule.get("resources")];
  const every = holds(verbs, ["*"]) || WRITING.every((verb) => holds(verbs, [verb]));
  if (every && holds(resources, ["*"])) {
    return [{ field: rule, allowed: "named verbs and resources" }];
  }
  const ofSystem = names.some((name) => name.is((value) => String(value).startsWith("system:")));
  return [
    ...(holds(verbs, [...ESCALATING, ...IMPERSONATING, ...(isSubjects(resources) ? ["*"] : [])]) &&
    (isUnnamed || ofSystem)
      ? [{ field: verbs, allowed: "no bind, escalate or impersonate without resourceNames of one's own" }]
      : []),
    ...ways(rule, isClusterWide),
    ...(holds(rule.get("nonResourceURLs"), ["*", "/*"])
      ? [{ field: rule.get("nonResourceURLs"), allowed: "named paths of the API server" }]
      : []),
  ];
}

function isSubjects(resources: Field): boolean {
  return holds(resources, ["users", "groups", "serviceaccounts", "userextras", "uids", "clusterroles", "roles"]);
}

/** One way per rule, so that its resources are reported once. */
function ways(rule: Field, isClusterWide: boolean): Finding[] {
  const [verbs, resources, named] = [rule.get("verbs"), rule.get("resources"), rule.get("resourceNames")];
  const isUnnamed = named.items().length === 0;
  const found = WAYS.find(
    (way) =>
      holds(resources, [...way.resources, "*", ...way.resources.map((name) => name.replace(/^.*\//, "*/"))]) &&
      (way.verbs.includes(ANY_VERB) || holds(verbs, [...way.verbs, "*"])) &&
      (isUnnamed || !way.unnamed || holds(named, way.names ?? [])) &&
      (isClusterWide || !way.clusterWide),
  );
  return found === undefined
    ? []
    : [
        {
          field: resources,
          allowed: holds(resources, ["secrets", "*"])
            ? "Secrets of one namespace, or by resourceNames; other resources by their names"
            : `no ${found.resources.join(", ")}${found.clusterWide ? " of the whole cluster" : ""}: ${found.leads}`,
        },
      ];
}

function holds(list: Field, names: readonly string[]): boolean {
  return list.items().some((item) => item.is((value) => names.includes(String(value))));
}

export function administeringRole(role: Field, isClusterWide: boolean): boolean {
  const named = isClusterWide ? data.administeringRoles : ["cluster-admin"];
  return role.is(
    (name) =>
      typeof name === "string" &&
      (named.includes(name) || (name.startsWith("system:") && !data.harmlessSystemRoles.includes(name))),
  );
}

/** System names cover all callers or administrators. */
export function anybodyAsSubject(subject: Field): boolean {
  const isAccount = subject.get("kind").is((kind) => kind === "ServiceAccount");
  return subject
    .get("name")
    .is(
      (name) =>
        typeof name === "string" &&
        (isAccount ? name === "default" : /^system:(?!serviceaccount:[^:]+:[^:]+$)|^kubernetes-admin$/.test(name)),
    );
}

/** System namespaces: rights there equal rights in the whole cluster. */
export function isSystems(namespace: Field): boolean {
  return namespace.is((name) => isSystemNamespace(String(name)));
}

export function isSystemNamespace(name: string): boolean {
  return data.systemNamespaces.includes(name);
}
