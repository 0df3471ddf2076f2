import { describe, expect, it } from "vitest";
import { type PromisedModel, serviceLevels } from "../../../components/observability/rules/service-levels";

const promised = (...models: PromisedModel[]) =>
  serviceLevels(models)
    .recording.filter(({ expr }) => expr.startsWith("vector("))
    .map(({ record, expr, labels }) => [record, expr, labels?.model, labels?.percentile ?? labels?.objective]);

describe("the promised times as series", () => {
  it("are of each model that promises one, with its percentile, which is the objective", () => {
    expect(
      promised(
        { name: "chat", serviceLevel: { ttftMs: 500, tpotMs: 40, percentile: 95 } },
        { name: "draft", serviceLevel: { ttftMs: 2000 } },
      ),
    ).toEqual([
      ["inference:level_first_token_seconds", "vector(0.5)", "chat", "95"],
      ["inference:level_objective:ratio", "vector(0.95)", "chat", "first_token"],
      ["inference:level_token_seconds", "vector(0.04)", "chat", "95"],
      ["inference:level_objective:ratio", "vector(0.95)", "chat", "token"],
      ["inference:level_first_token_seconds", "vector(2)", "draft", "99"],
      ["inference:level_objective:ratio", "vector(0.99)", "draft", "first_token"],
    ]);
  });

  it("take the stricter of a token's time and tokens a second", () => {
    expect(promised({ name: "chat", serviceLevel: { tpotMs: 80, tokensPerSecond: 20 } })[0]).toEqual([
      "inference:level_token_seconds",
      "vector(0.05)",
      "chat",
      "99",
    ]);
  });

  it("are none of models without a level", () => {
    expect(promised({ name: "chat" })).toEqual([]);
  });

  it("say the availability that a model promises, of whatever times", () => {
    expect(promised({ name: "embed", serviceLevel: { availability: 0.999 } })).toEqual([
      ["inference:level_objective:ratio", "vector(0.999)", "embed", "availability"],
    ]);
  });

  it("are compared with the gateway's figures of the names that clients call the model by", () => {
    const chat = { name: "chat", serviceLevel: { ttftMs: 500 } };
    const sources = (names: readonly string[]) =>
      serviceLevels([chat], [{ model: "chat", names }]).recording.find(
        ({ record }) => record === "inference:level_all:rate5m",
      )?.expr;
    expect(sources(["qwen2.5", "mail"])).toContain(String.raw`gen_ai_original_model=~"qwen2\\.5|mail"`);
    expect(sources([])).not.toContain("gen_ai");
  });
});
