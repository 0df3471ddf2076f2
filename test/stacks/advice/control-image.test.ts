import { describe, expect, it } from "vitest";
import { controlImage } from "../../../stacks/advice/control-image";
import { modelControlSection } from "../../../stacks/config/sections/model-control";

const problems = (section: object) =>
  controlImage({ environment: { modelControl: modelControlSection.parse(section) } });
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
