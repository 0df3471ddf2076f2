import { expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import { environmentOf, modelOf, poolOf } from "./fixtures";

it("says that a replica of an engine stays on one node, and keeps most of its GPUs", () => {
  const engine = { engine: "ray" as const, engineVersion: "2.56.0", tensorParallel: 4, pipelineParallel: 3 };
  const model = modelOf("llama-3.3-70b-instruct", { name: "chat", ...engine });
  const { problems } = planDeployment(environmentOf([poolOf("BM.GPU.A10.4", 3)], [model]));
  expect(problems).toContainEqual(
    expect.objectContaining({
      rule: "model-fits",
      message: expect.stringMatching(/takes 12 GPUs, .* on one node, with 4/),
      remedies: [expect.stringContaining("pipelineParallel: 1")],
    }),
  );
});
