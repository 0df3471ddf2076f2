import { describe, expect, it } from "vitest";
import { modelControlSection } from "../../stacks/config/sections/model-control";
import { modelControlProblems } from "../../stacks/model-control";

const problems = (section: object, nodesOf: readonly number[] = [1]) =>
  modelControlProblems(
    modelControlSection.parse(section),
    nodesOf.map((nodesPerReplica) => ({ nodesPerReplica })),
  );
const PLACEHOLDER = "ghcr.io/your-org/inference-model-control:0.1.0";

describe("the image of the model control API", () => {
  it("is called a placeholder in the plan, with the two ways out", () => {
    expect(problems({ enabled: true, image: PLACEHOLDER })).toEqual([
      expect.objectContaining({
        severity: "advisory",
        subject: "modelControl.image",
        message: expect.stringMatching(/never start.*build and push services\/model-control.*enabled: false/),
      }),
    ]);
  });

  it("is not mentioned when it is the fork's own, or when the API is off", () => {
    expect(problems({ enabled: true, image: "ghcr.io/acme/inference-model-control:1.2.3" })).toEqual([]);
    expect(problems({ enabled: false, image: PLACEHOLDER })).toEqual([]);
    expect(problems({})).toEqual([]);
  });
});

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
