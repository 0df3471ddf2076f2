import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { named } from "./known";
import { CLUSTER_READER, PEOPLE_ROLES, type PeopleRole, rulesOf } from "./people-roles";

/** Groups by role, as named by the cluster's authenticator. */
export type RoleGroups = { readonly [Role in `${PeopleRole}s`]: readonly string[] };

/** Users of an environment. No others get permissions; none is cluster-admin. */
export interface People extends RoleGroups {
  /** Groups limited to the models of one domain. */
  readonly domains: Readonly<Record<string, RoleGroups>>;
}

export interface RoleGrant {
  readonly role: PeopleRole;
  readonly groups: readonly string[];
}

/** Namespace properties that determine user access. */
export interface NamespaceUse {
  /** Domain of its model. @default none */
  readonly domain?: string;
  /**
   * Its workloads have cluster permissions or a node's, which anyone who changes them gains: users can
   * only view and operate. Follows from the Pod Security level and from `accounts`; charts bring theirs.
   * @default false
   */
  readonly holdsRights?: boolean;
}

/** A service account of a namespace with a cluster role. */
export interface ClusterAccount {
  readonly account: string;
  readonly role: pulumi.Input<string>;
  /** Logical name of the binding. */
  readonly logicalName: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

/** Grants to users of the environment and of the namespace's domain. */
export function grantsIn(people: People | undefined, { domain, holdsRights = false }: NamespaceUse): RoleGrant[] {
  if (people === undefined) {
    return [];
  }
  const ofDomain = domain === undefined ? undefined : people.domains[domain];
  const all = PEOPLE_ROLES.map((role) => ({
    role,
    groups: [...new Set([...people[`${role}s`], ...(ofDomain?.[`${role}s`] ?? [])])],
  }));
  const capped = holdsRights ? withoutAdmins(all) : all;
  return capped.filter(({ groups }) => groups.length > 0);
}

function withoutAdmins(grants: readonly RoleGrant[]): RoleGrant[] {
  const groupsOf = (wanted: PeopleRole) => grants.find(({ role }) => role === wanted)?.groups ?? [];
  return [
    { role: "viewer", groups: groupsOf("viewer") },
    { role: "operator", groups: [...new Set([...groupsOf("operator"), ...groupsOf("admin")])] },
  ];
}

/** Cluster roles and cluster-wide read access. Empty without users. */
export function peopleRoles(
  name: string,
  people: People | undefined,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  if (people === undefined) {
    return [];
  }
  const clusterRole = (suffix: string, rules: kubernetes.types.input.rbac.v1.PolicyRule[]) =>
    new kubernetes.rbac.v1.ClusterRole(
      `${name}-${suffix}`,
      { metadata: { name: roleName(suffix), labels: standardLabels("people", suffix) }, rules },
      opts,
    );
  const roles = PEOPLE_ROLES.map((role) => clusterRole(role, rulesOf(role)));
  const groups = [...new Set(PEOPLE_ROLES.flatMap((role) => people[`${role}s`]))];
  if (groups.length === 0) {
    return roles;
  }
  const reader = clusterRole("cluster-reader", [...CLUSTER_READER]);
  return [
    ...roles,
    reader,
    new kubernetes.rbac.v1.ClusterRoleBinding(
      `${name}-cluster-readers`,
      {
        metadata: { name: roleName("cluster-readers"), labels: standardLabels("people", "cluster-readers") },
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: named(reader, roleName("cluster-reader")) },
        subjects: subjects(groups),
      },
      opts,
    ),
  ];
}

/** Role bindings of a namespace. Names are unique per role. */
export function roleBindings(
  name: string,
  {
    namespace,
    labels,
    grants,
  }: { namespace: pulumi.Input<string>; labels: Readonly<Record<string, string>>; grants: readonly RoleGrant[] },
  opts: pulumi.CustomResourceOptions,
): kubernetes.rbac.v1.RoleBinding[] {
  return grants.map(
    ({ role, groups }) =>
      new kubernetes.rbac.v1.RoleBinding(
        `${name}-${role}s`,
        {
          metadata: { name: roleName(`${role}s`), namespace, labels },
          roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: roleName(role) },
          subjects: subjects(groups),
        },
        opts,
      ),
  );
}

/** Cluster roles of a namespace's accounts. */
export function clusterRoleBindings(
  accounts: readonly ClusterAccount[],
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): kubernetes.rbac.v1.ClusterRoleBinding[] {
  return accounts.map(
    ({ account, role, logicalName, metadata }) =>
      new kubernetes.rbac.v1.ClusterRoleBinding(
        logicalName,
        {
          metadata,
          roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
          subjects: [{ kind: "ServiceAccount", name: account, namespace }],
        },
        opts,
      ),
  );
}

const RBAC = "rbac.authorization.k8s.io";

function roleName(suffix: string): string {
  return `inference-${suffix}`;
}

function subjects(groups: readonly string[]) {
  return groups.map((name) => ({ apiGroup: RBAC, kind: "Group", name }));
}
