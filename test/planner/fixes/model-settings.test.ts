import { describe, expect, it } from "vitest";
import { modelSettings } from "../../../planner/fixes/model-settings";
import type { ModelRequest } from "../../../planner/request";
import { SCALED_BY_DEFAULT } from "../../../planner/scaling";
import { environmentOf, modelOf, poolOf } from "../fixtures";

const BASE = { name: "chat", concurrency: 4, contextTokens: 4096, minReplicas: 1, maxReplicas: 1 };

/** The mildest and the harshest other value of each number, by its path below the model. */
function rangesOf(changes: Partial<ModelRequest>) {
  const model = modelOf("llama-3.1-8b-instruct", { ...BASE, ...changes });
  const settings = modelSettings(environmentOf([poolOf("VM.GPU.A10.1", 8)], [model]), model);
  const ranges = settings
    .filter(({ from }) => typeof from === "number")
    .map(({ path, count, at }) => [path.replace("models.chat.", ""), [at(0).to, at(count - 1).to]]);
  return Object.fromEntries(ranges);
}

describe("the other values of a model's numbers", () => {
  it.each<[string, Partial<ModelRequest>, object]>([
    ["has no fewer replicas than one", {}, {}],
    [
      "has one replica at least where the file says one number",
      { minReplicas: 3, maxReplicas: 3 },
      { replicas: [2, 1] },
    ],
    [
      "keeps one replica at the minimum, and at the maximum what scaling needs",
      { minReplicas: 3, maxReplicas: 8, scaling: { ...SCALED_BY_DEFAULT, spareReplicas: 2 } },
      { "replicas.min": [2, 1], "replicas.max": [7, 5], "scaling.spareReplicas": [1, 0] },
    ],
    ["cuts a short context in smaller steps", { contextTokens: 1000 }, { contextTokens: [896, 128] }],
  ])("%s", (_, changes, expected) => {
    expect(rangesOf(changes)).toEqual({ concurrency: [3, 1], contextTokens: [3072, 1024], ...expected });
  });
});
