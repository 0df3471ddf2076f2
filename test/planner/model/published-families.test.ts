import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../planner/model/config-json";
import { knownFamilies } from "../../../planner/model/families/registry";
import { countParameters } from "../../../planner/model/parameters";
import { publishedModels } from "./published-families";

describe("families", () => {
  it.each(publishedModels)(
    "$name has exactly its published number of parameters",
    ({ name, config, parameters, withPrediction }) => {
      const counts = countParameters(readModelConfig(config, { name }));
      expect(withPrediction ? counts.totalWithMtp : counts.total).toBe(parameters);
    },
  );

  it("are listed once each", () => {
    expect(new Set(knownFamilies()).size).toBe(knownFamilies().length);
    expect(knownFamilies()).toContain("llama");
  });
});
