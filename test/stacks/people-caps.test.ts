import { describe, expect, it } from "vitest";
import { type RecordedObject, recordedObjects } from "../harness/recorded-objects";
import { changesOf, SWEEPS } from "./option-sweeps";
import { changedRun, environments } from "./run";
import { shippedSections } from "./texts";

const people = { admins: ["platform"] };

const RUNS = [
  ...environments.map((name) => ({ what: name as string, base: name, sections: shippedSections(name) })),
  ...SWEEPS.map((sweep) => ({ what: sweep.what, base: sweep.base, sections: changesOf(sweep) })),
];

interface Binding {
  readonly roleRef: { readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

/** An admin may run pods of a namespace as any of its accounts, and with all that its level allows. */
describe.each(RUNS)("in $what", ({ base, sections }) => {
  it("admins are operators where pods get a node's rights or the cluster's", async () => {
    const { resources } = await changedRun(base, { ...sections, people });
    const objects = recordedObjects(resources);
    const ofKind = (wanted: string) => objects.filter(({ kind }) => kind === wanted);
    const bound = (role: string) =>
      ofKind("RoleBinding")
        .filter((each) => binding(each).roleRef.name === role)
        .map(({ namespace }) => namespace);
    const elevated = new Set([
      ...ofKind("Namespace")
        .filter((each) => each.labels["pod-security.kubernetes.io/enforce"] !== "restricted")
        .map(({ name }) => name),
      ...ofKind("ClusterRoleBinding").flatMap((each) =>
        binding(each).subjects.flatMap(({ kind, namespace }) => (kind === "ServiceAccount" ? [namespace] : [])),
      ),
    ]);
    expect(bound("inference-admin").filter((namespace) => elevated.has(namespace))).toEqual([]);
    expect(bound("inference-admin")).toContain("inference-gateway");
    expect(bound("inference-operator")).toEqual(expect.arrayContaining([...elevated]));
  });
});

function binding({ inputs }: RecordedObject): Binding {
  return inputs as unknown as Binding;
}
