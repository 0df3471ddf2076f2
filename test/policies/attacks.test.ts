import { describe, expect, it } from "vitest";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import { ACCEPTED } from "./attacks/accepted";
import { ATTACKS } from "./attacks/all";

const judge = (resources: readonly RecordedInputs[]) =>
  evaluatePolicies(resources, { project: "inference-stacks", stack: "test" });

describe("what nobody may deploy is refused by the policy that it is about", () => {
  it.each(ATTACKS)("%s: %s", (_, policy, resources) => {
    expect(judge(resources).violations.map((violation) => violation.policy)).toContain(policy);
  });
});

describe("what only looks like it passes", () => {
  it.each(ACCEPTED)("%s", (_, resources) => {
    const { violations, undecided } = judge(resources);
    expect(violations.filter(({ severity }) => severity === "mandatory").map(({ message }) => message)).toEqual([]);
    expect(undecided).toEqual([]);
  });
});
