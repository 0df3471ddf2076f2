import { expect, it } from "vitest";
import { imagesByUrl } from "../../../stacks/advice/images-by-url";
import { modelPlan, ollamaPlan } from "../../harness/plans";

it("says of models that take images that their pods fetch none", () => {
  const models = [modelPlan({ takesImages: true }), modelPlan({ name: "text", takesImages: false })];
  expect(imagesByUrl({ plan: { models } })).toEqual([
    {
      severity: "advisory",
      rule: "images-by-url",
      subject: "models.llama-8b",
      message: expect.stringContaining("data: URLs"),
    },
  ]);
});

it("says nothing of Ollama, whose API takes no URL", () => {
  expect(imagesByUrl({ plan: { models: [ollamaPlan({ takesImages: true })] } })).toEqual([]);
});
