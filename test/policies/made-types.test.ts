/**
 * Types of resources that the program makes, in all environments and with options that none of them uses: a policy refuses a bad one of each,
 * or the type is excused. A type that a component makes for the first time fails here.
 */
import { beforeAll, describe, expect, it } from "vitest";
import unjudged from "../../policies/data/unjudged-types.json";
import { evaluatePolicies } from "../../policies/evaluate";
import { SWEEPS, sweptRun } from "../stacks/option-sweeps";
import { WIDER_ENVIRONMENTS, widerRun } from "../stacks/wider-runs";
import { ATTACKS } from "./attacks/all";

/** Policies that look at every object of Kubernetes: that they see a type says nothing of what it is for. */
const GENERAL = ["no-default-namespace", "no-plaintext-secret"];
/** What they are for all the same. */
const THEIRS = /^(?!kubernetes:)|:(Secret|ConfigMap)$/;

/** Types of which some attack is a resource that a policy blames. */
function judgedTypes(): Set<string> {
  const blamed = ATTACKS.flatMap(([, policy, resources]) => {
    const { violations } = evaluatePolicies(resources, { project: "inference-stacks", stack: "test" });
    const urns = violations.filter((violation) => violation.policy === policy).map(({ resource }) => resource);
    return resources
      .filter(({ urn, type }) => urns.includes(urn) && (!GENERAL.includes(policy) || THEIRS.test(type)))
      .map(({ type }) => kindOf(type));
  });
  return new Set(blamed);
}

/** Objects of Kubernetes by their kind: policies know them by it, in whatever version. */
function kindOf(type: string): string {
  return type.replace(/^kubernetes:.*:/, "kubernetes:");
}

describe("types of resources that the program makes", () => {
  let made: Set<string>;
  const judged = judgedTypes();
  const excused = new Set(Object.keys(unjudged.types).map(kindOf));
  beforeAll(async () => {
    const types = new Set<string>();
    for (const name of WIDER_ENVIRONMENTS) {
      collect(types, (await widerRun(name)).resources);
    }
    for (const sweep of SWEEPS) {
      collect(types, (await sweptRun(sweep)).resources);
    }
    made = types;
  }, 120_000);

  it("are each judged, or excused with the reason", () => {
    expect([...made].filter((type) => !judged.has(type) && !excused.has(type)).sort()).toEqual([]);
  });

  it("are excused only where nothing judges them", () => {
    expect([...excused].filter((type) => !made.has(type) || judged.has(type))).toEqual([]);
  });

  it("are excused in order, so that a diff shows what changed", () => {
    expect(Object.keys(unjudged.types)).toEqual(Object.keys(unjudged.types).toSorted());
  });
});

function collect(types: Set<string>, resources: readonly { readonly custom: boolean; readonly type: string }[]): void {
  for (const { type } of resources.filter(({ custom }) => custom)) {
    types.add(kindOf(type));
  }
}
