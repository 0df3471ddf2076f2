import { describe, expect, it } from "vitest";
import { modelControlSection } from "../../stacks/config/sections/model-control";
import { modelControlProblems } from "../../stacks/model-control";

const problems = (section: object, nodesOf: readonly number[] = [1]) =>
  modelControlProblems(
    modelControlSection.parse(section),
    nodesOf.map((nodesPerReplica) => ({ nodesPerReplica })),
  );

describe("an environment whose models all run over several nodes", () => {
  const enabled = { enabled: true, image: "ghcr.io/acme/inference-model-control:1.2.3" };

  it("has nothing that the API could drive, and is refused with the two ways out", () => {
    expect(problems(enabled, [2, 3])).toEqual([
      expect.objectContaining({
        severity: "mandatory",
        subject: "modelControl.enabled",
        message: expect.stringMatching(/enabled: false, or add a model/),
      }),
    ]);
  });

  it("is no problem while the API is off, or one model fits a node", () => {
    expect(problems({}, [2])).toEqual([]);
    expect(problems(enabled, [2, 1])).toEqual([]);
  });
});
