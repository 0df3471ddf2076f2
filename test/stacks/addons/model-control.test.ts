import { describe, expect, it } from "vitest";
import type { Taint } from "../../../planner/types";
import { modelControl } from "../../../stacks/addons/model-control/addon";
import { controlImage, controlImageArchitecture } from "../../../stacks/addons/model-control/advice";
import { EXAMPLE_CONTROL_IMAGE, modelControlSection } from "../../../stacks/addons/model-control/config";
import { modelControlProblems } from "../../../stacks/addons/model-control/problems";
import { shapeNamed } from "../../planner/fixtures";

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

  it("says what to build an image for that Arm machines run", () => {
    const image = "ghcr.io/acme/inference-model-control:1.2.3";
    const pool = (name: string, machine: string, taints: Taint[] = []) => ({
      name,
      shape: shapeNamed(machine),
      taints,
    });
    const system = pool("system", "VM.Standard.A1.Flex");
    const advice = controlImageArchitecture({ image }, [system, pool("more", "VM.Standard.E5.Flex")]);
    expect(advice).toEqual([
      expect.objectContaining({ severity: "advisory", rule: "image-architecture", subject: "modelControl.image" }),
    ]);
    expect(advice[0]?.message).toContain(
      "pods run on system, of arm64. Build it with --platform linux/arm64,linux/amd64",
    );
    expect(controlImageArchitecture({ image: EXAMPLE_CONTROL_IMAGE }, [system])).toEqual([]);
    const tainted = pool("arm", "VM.Standard.A1.Flex", [{ key: "dedicated", effect: "NoSchedule" }]);
    expect(controlImageArchitecture({ image }, [tainted, pool("x", "VM.Standard.E5.Flex")])).toEqual([]);
  });
});
