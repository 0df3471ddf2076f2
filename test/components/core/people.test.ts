import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IsolatedNamespace } from "../../../components/core/isolated-namespace";
import { grantsIn, type People, peopleRoles, type RoleGroups } from "../../../components/core/people";
import { PEOPLE_ROLES, type PeopleRole, rulesOf } from "../../../components/core/people-roles";
import { PlatformComponent } from "../../../components/core/platform-component";
import { deploy } from "../../harness/deploy";

const NOBODY: RoleGroups = { viewers: [], operators: [], admins: [] };
const PEOPLE: People = {
  viewers: ["everybody"],
  operators: ["on-call"],
  admins: ["platform"],
  domains: { legal: { ...NOBODY, viewers: ["lawyers"], admins: ["legal-ml"] } },
};

const groups = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
const roleGroups = fc.record({ viewers: groups, operators: groups, admins: groups });
const people: fc.Arbitrary<People> = fc
  .tuple(roleGroups, fc.dictionary(fc.constantFrom("legal", "finance"), roleGroups))
  .map(([all, domains]) => ({ ...all, domains }));

/** The most that a group may do somewhere. */
function highest(grants: ReturnType<typeof grantsIn>, group: string): number {
  return Math.max(
    -1,
    ...grants.filter((each) => each.groups.includes(group)).map(({ role }) => PEOPLE_ROLES.indexOf(role)),
  );
}

describe("people in a namespace", () => {
  it("are those of the environment and of its domain", () => {
    expect(grantsIn(PEOPLE, { domain: "legal" })).toEqual([
      { role: "viewer", groups: ["everybody", "lawyers"] },
      { role: "operator", groups: ["on-call"] },
      { role: "admin", groups: ["platform", "legal-ml"] },
    ]);
    expect(grantsIn(PEOPLE, {})).toEqual(grantsIn(PEOPLE, { domain: "finance" }));
    expect(grantsIn(undefined, { domain: "legal" })).toEqual([]);
  });

  it("get nothing from another domain, and no more than their role anywhere", () => {
    fc.assert(
      fc.property(people, fc.constantFrom("legal", "finance", undefined), fc.boolean(), (who, domain, holdsRights) => {
        const grants = grantsIn(who, { ...(domain && { domain }), holdsRights });
        for (const group of ["a", "b", "c", "d"]) {
          const roles = PEOPLE_ROLES.filter(
            (role) => who[`${role}s`].includes(group) || (domain && who.domains[domain]?.[`${role}s`].includes(group)),
          );
          const due = roles.length === 0 ? -1 : PEOPLE_ROLES.indexOf(roles.at(-1) as PeopleRole);
          expect(highest(grants, group)).toBe(holdsRights ? Math.min(due, PEOPLE_ROLES.indexOf("operator")) : due);
        }
      }),
    );
  });
});

describe("roles of people", () => {
  it("grow: each may do what the one before it may", () => {
    const [viewer, operator, admin] = PEOPLE_ROLES.map(rulesOf);
    expect(operator).toEqual(expect.arrayContaining(viewer ?? []));
    expect(admin).toEqual(expect.arrayContaining(operator ?? []));
  });

  it("are made with their bindings, and none to cluster-admin", async () => {
    const deployment = await deploy(() => void new Space(PEOPLE));
    const bindings = deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding");
    expect(bindings.map(({ inputs }) => inputs)).toEqual([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: expect.objectContaining({ name: "inference-viewers", namespace: "model-contracts" }),
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "inference-viewer" },
        subjects: ["everybody", "lawyers"].map(subject),
      },
      expect.objectContaining({
        metadata: expect.objectContaining({ name: "inference-operators" }),
        subjects: ["on-call"].map(subject),
      }),
      expect.objectContaining({
        metadata: expect.objectContaining({ name: "inference-admins" }),
        subjects: ["platform", "legal-ml"].map(subject),
      }),
    ]);
    const [reader] = deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding");
    expect(reader?.inputs).toMatchObject({
      roleRef: { name: "inference-cluster-reader" },
      subjects: ["everybody", "on-call", "platform"].map(subject),
    });
    const roles = deployment.ofType("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole");
    expect(roles.map(({ inputs }) => (inputs.metadata as { name: string }).name)).toEqual([
      "inference-viewer",
      "inference-operator",
      "inference-admin",
      "inference-cluster-reader",
    ]);
  });

  it("are not made where nobody is named, and nobody sees the cluster where only domains have people", async () => {
    const nobody = await deploy(() => void new Space(undefined));
    expect(nobody.recording.resources.filter(({ type }) => type.includes("rbac"))).toEqual([]);
    const ofDomain = await deploy(() => void new Space({ ...NOBODY, domains: PEOPLE.domains }));
    expect(ofDomain.ofType("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")).toEqual([]);
    expect(ofDomain.ofType("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")).toHaveLength(2);
  });
});

function subject(name: string) {
  return { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name };
}

/** The namespace of a legal model, in a platform with people. */
class Space extends PlatformComponent {
  constructor(who: People | undefined) {
    super("test:Space", "space", {}, who && { people: who });
    peopleRoles("space-people", who, { parent: this });
    new IsolatedNamespace("space-ns", { namespace: "model-contracts", use: { domain: "legal" } }, { parent: this });
    this.registerOutputs({});
  }
}
