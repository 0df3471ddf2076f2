import data from "../data/cluster-rights.json";
import type { Field } from "./field";

/** Rights by which their holder gets others. */
interface Way {
  readonly resources: readonly string[];
  /** `*any`: whatever the verb. */
  readonly verbs: readonly string[];
  /** Harmless in one namespace. @default false */
  readonly clusterWide?: boolean;
  /** Harmless on objects by their names. @default false */
  readonly unnamed?: boolean;
  /** Objects that lead further by their names too. */
  readonly names?: readonly string[];
  readonly leads: string;
}

const WAYS: readonly Way[] = data.rows;
const ANY_VERB = "*any";
/** Who may do all of these needs no `*`. */
const WRITING = ["create", "update", "patch", "delete"];
/** Verbs by which one gives oneself any right, or takes anybody's. */
const ESCALATING = ["bind", "escalate", "impersonate"];
/** Impersonation of one kind of callers, beta and on in Kubernetes 1.36; `impersonate-on:` alone gives nothing. */
const IMPERSONATING = ["user-info", "serviceaccount", "arbitrary-node"].map((mode) => `impersonate:${mode}`);

interface Finding {
  readonly field: Field;
  readonly allowed: string;
}

/** What of a rule of a role leads to all rights. */
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

/** What is impersonated, and what rights are bound by. */
function isSubjects(resources: Field): boolean {
  return holds(resources, ["users", "groups", "serviceaccounts", "userextras", "uids", "clusterroles", "roles"]);
}

/** The first way, of those that a rule opens: its resources are reported once. */
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

/** Whether a role administers: the whole cluster, or a part of the system. */
export function administeringRole(role: Field, isClusterWide: boolean): boolean {
  const named = isClusterWide ? data.administeringRoles : ["cluster-admin"];
  return role.is(
    (name) =>
      typeof name === "string" &&
      (named.includes(name) || (name.startsWith("system:") && !data.harmlessSystemRoles.includes(name))),
  );
}

/** Whether a subject is nobody in particular: names of the system's stand for whoever reaches the API server, or for its administrators. */
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

/** Namespaces of the system's own programs: rights there are as good as in the whole cluster. */
export function isSystems(namespace: Field): boolean {
  return namespace.is((name) => isSystemNamespace(String(name)));
}

export function isSystemNamespace(name: string): boolean {
  return data.systemNamespaces.includes(name);
}
