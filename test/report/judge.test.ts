import { beforeAll, describe, expect, it } from "vitest";
import { policies } from "../../policies/all";
import { evaluatePolicies } from "../../policies/evaluate";
import { asOfModel, judge } from "../../report/judge";
import { changedRun, type ProgramRun } from "../stacks/run";

/** A refused environment whose recorded pods run unpinned images too. */
let run: ProgramRun;
beforeAll(async () => {
  const refused = await changedRun("oci-a10", { budget: { monthlyUsd: 1 } });
  const resources = refused.resources.map((resource) => ({
    ...resource,
    inputs: JSON.parse(JSON.stringify(resource.inputs).replaceAll(/("image":"[^"@:]+)[^"]*"/g, '$1:latest"')),
  }));
  run = { ...refused, recording: { ...refused.recording, resources } };
});

describe("a reason that the planner gives and a policy of the same name", () => {
  it("is reported once of the budget", () => {
    const { environment: stack, stage, problems } = run.plan;
    const { violations } = evaluatePolicies(run.recording.resources, { project: "inference-stacks", stack, stage });
    const [planned] = problems.filter(({ rule }) => rule === "monthly-budget");
    const ofBudget = ({ policy }: { readonly policy: string }) => policy === "monthly-budget";
    expect(violations.filter(ofBudget)).toHaveLength(1);
    expect(judge(run).violations.filter(ofBudget)).toEqual([
      expect.objectContaining({ resource: planned?.subject, message: planned?.message }),
    ]);
  });

  it("are both reported of any other policy: advice of the plan silences no refusal", () => {
    const advice = policies.map(({ name }) => ({
      rule: name,
      severity: "advisory" as const,
      subject: "models.chat",
      message: "deserves a look",
    }));
    const ofPolicies = ({ violations }: ReturnType<typeof judge>) =>
      violations.filter(({ policy, resource }) => policy !== "monthly-budget" && resource.startsWith("urn:"));
    const refusals = ofPolicies(judge(run));
    expect(refusals.map(({ policy }) => policy)).toContain("no-latest-image");
    expect(ofPolicies(judge({ ...run, plan: { ...run.plan, problems: advice } }))).toEqual(refusals);
  });
});

describe("what a policy finds in the published plan", () => {
  const found = (message: string) => ({ policy: "p", severity: "advisory" as const, resource: "urn:x", message });
  const inPlan = 'ConfigMap "a/b": data["plan.json"].models[1].speed.sure is false';

  it("is reported of the model", () => {
    const [violation, other] = [found(inPlan), found('ConfigMap "a/b": data["x"] is wrong')];
    expect(asOfModel(violation, [{ name: "chat" }, { name: "fast" }])).toEqual({
      ...violation,
      resource: "models.fast",
      message: "speed.sure is false",
    });
    expect(asOfModel(other, [{ name: "chat" }])).toEqual(other);
    expect(asOfModel(violation, [])).toEqual(violation);
  });
});
