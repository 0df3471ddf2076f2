import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { named } from "./known";
import { CLUSTER_READER, PEOPLE_ROLES, type PeopleRole, rulesOf } from "./people-roles";

/** Groups, as the cluster's authenticator names them, by what they may do. */
export type RoleGroups = { readonly [Role in `${PeopleRole}s`]: readonly string[] };

/** Who works with an environment. Nobody else gets rights, and nobody here is cluster-admin. */
export interface People extends RoleGroups {
  /** Those who may do so with the models of one domain alone. */
  readonly domains: Readonly<Record<string, RoleGroups>>;
}

/** One role for some groups. */
export interface RoleGrant {
  readonly role: PeopleRole;
  readonly groups: readonly string[];
}

/** What a namespace is to people. */
export interface NamespaceUse {
  /** Domain of the model that has it. @default none */
  readonly domain?: string;
  /**
   * What runs there has rights of its own over the cluster: who changes it, has them too. There people look, and free
   * what hangs.
   */
  readonly holdsRights?: boolean;
}

/** Who gets which role in a namespace: the environment's people, and those of its domain. */
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

/** The roles, and what the environment's people see outside of namespaces. Nothing where nobody is named. */
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

/** The grants as they stand in a namespace: the names are its own, so each role is there once. */
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

const RBAC = "rbac.authorization.k8s.io";

function roleName(suffix: string): string {
  return `inference-${suffix}`;
}

function subjects(groups: readonly string[]) {
  return groups.map((name) => ({ apiGroup: RBAC, kind: "Group", name }));
}
