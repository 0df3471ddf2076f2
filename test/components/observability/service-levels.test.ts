import { describe, expect, it } from "vitest";
import { type PromisedModel, serviceLevels } from "../../../components/observability/rules/service-levels";

const promised = (...models: PromisedModel[]) =>
  serviceLevels(models).recording.map(({ record, expr, labels }) => [record, expr, labels?.model, labels?.percentile]);

describe("the promised times as series", () => {
  it("are of each model that promises one, with its percentile", () => {
    expect(
      promised(
        { name: "chat", serviceLevel: { ttftMs: 500, tpotMs: 40, percentile: 95 } },
        { name: "draft", serviceLevel: { ttftMs: 2000 } },
      ),
    ).toEqual([
      ["inference:level_first_token_seconds", "vector(0.5)", "chat", "95"],
      ["inference:level_token_seconds", "vector(0.04)", "chat", "95"],
      ["inference:level_first_token_seconds", "vector(2)", "draft", "99"],
    ]);
  });

  it("take the stricter of a token's time and tokens a second", () => {
    expect(promised({ name: "chat", serviceLevel: { tpotMs: 80, tokensPerSecond: 20 } })).toEqual([
      ["inference:level_token_seconds", "vector(0.05)", "chat", "99"],
    ]);
  });

  it("are none of models without a level", () => {
    expect(promised({ name: "chat" })).toEqual([]);
  });

  it("say the availability that a model promises, of whatever times", () => {
    expect(promised({ name: "embed", serviceLevel: { availability: 0.999 } })).toEqual([
      ["inference:level_availability:ratio", "vector(0.999)", "embed", undefined],
    ]);
  });
});
