import { describe, expect, it } from "vitest";
import { modelControl } from "../../../stacks/addons/model-control/addon";
import { controlImage } from "../../../stacks/addons/model-control/advice";
import { EXAMPLE_CONTROL_IMAGE, modelControlSection } from "../../../stacks/addons/model-control/config";
import { modelControlProblems } from "../../../stacks/addons/model-control/problems";

describe("an environment whose models all run over several nodes", () => {
  const problems = (nodesOf: readonly number[]) =>
    modelControlProblems(nodesOf.map((nodesPerReplica) => ({ nodesPerReplica })));

  it("has nothing that the API could drive, and is refused with the two ways out", () => {
    expect(problems([2, 3])).toEqual([
      expect.objectContaining({
        severity: "mandatory",
        subject: "modelControl.enabled",
        message: expect.stringMatching(/enabled: false, or add a model/),
      }),
    ]);
  });

  it("is no problem while one model fits a node", () => {
    expect(problems([2, 1])).toEqual([]);
  });
});

describe("the section", () => {
  const activated = (section: object) =>
    modelControl.activate({ modelControl: modelControlSection.parse(section) }, {});

  it("turns the API on only when it says so", () => {
    expect(activated({ image: EXAMPLE_CONTROL_IMAGE })).toBeUndefined();
    expect(activated({ enabled: true, image: EXAMPLE_CONTROL_IMAGE })).toBeDefined();
  });
});

describe("the image of the model control API", () => {
  it("is called a placeholder in the plan, with the two ways out", () => {
    expect(controlImage({ image: EXAMPLE_CONTROL_IMAGE })).toEqual([
      expect.objectContaining({
        severity: "advisory",
        subject: "modelControl.image",
        message: expect.stringMatching(/never start.*build and push services\/model-control.*enabled: false/),
      }),
    ]);
  });

  it("is not mentioned when it is the fork's own", () => {
    expect(controlImage({ image: "ghcr.io/acme/inference-model-control:1.2.3" })).toEqual([]);
  });
});
