import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allow, secretsKeyStatements, volumesKeyStatements } from "../../../../components/cluster/oke/statements";

const WORKLOAD = {
  type: "workload",
  clusterId: "ocid1.cluster.oc1..x",
  namespace: "kube-system",
  serviceAccount: "autoscaler",
} as const;
const WHO =
  "request.principal.type='workload', request.principal.namespace='kube-system', request.principal.service_account='autoscaler', request.principal.cluster_id='ocid1.cluster.oc1..x'";

describe("policy statements", () => {
  it("let a service account of one cluster do one thing in one place", () => {
    expect(allow(WORKLOAD, "use subnets in compartment id ocid1.compartment.oc1..c")).toBe(
      `Allow any-user to use subnets in compartment id ocid1.compartment.oc1..c where ALL {${WHO}}`,
    );
  });

  it("keep a grant's own condition, alone or several of which all hold", () => {
    expect(allow(WORKLOAD, "manage objects in compartment id c where target.bucket.name='models'")).toBe(
      `Allow any-user to manage objects in compartment id c where ALL {${WHO}, target.bucket.name='models'}`,
    );
    expect(allow({ type: "cluster" }, "use keys in compartment id c where all { a='1', b='2' }")).toBe(
      "Allow any-user to use keys in compartment id c where ALL {request.principal.type='cluster', a='1', b='2'}",
    );
  });

  it("refuse conditions of which one is enough: within ALL they would bind nobody", () => {
    expect(() => allow(WORKLOAD, "use keys in compartment id c where any {a='1', b='2'}")).toThrow("more than one");
  });

  it("always say who, whatever is granted", () => {
    const word = fc.stringMatching(/^[a-z-]{1,12}$/);
    fc.assert(
      fc.property(word, word, fc.option(word, { nil: undefined }), (verb, place, condition) => {
        const statement = allow(WORKLOAD, `${verb} x in ${place}${condition ? ` where a='${condition}'` : ""}`);
        expect(statement).toContain(WHO);
        expect(statement.match(/ where /gi)).toHaveLength(1);
      }),
    );
  });

  it("name each key, and nobody but who needs it", () => {
    expect(secretsKeyStatements("c", "k")).toEqual([
      "Allow any-user to use keys in compartment id c where ALL {request.principal.type='cluster', target.key.id='k'}",
    ]);
    expect(volumesKeyStatements("c", "k")).toEqual([
      "Allow service blockstorage to use keys in compartment id c where target.key.id='k'",
      "Allow any-user to use key-delegates in compartment id c where ALL {request.principal.type='nodepool', target.key.id='k'}",
      "Allow any-user to use key-delegates in compartment id c where ALL {request.principal.type='cluster', target.key.id='k'}",
    ]);
  });
});
