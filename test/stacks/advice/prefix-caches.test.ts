import { describe, expect, it } from "vitest";
import { sharedImageCaches, sharedPrefixCaches } from "../../../stacks/advice/prefix-caches";
import { modelPlan, ollamaPlan } from "../../harness/plans";

type Given = Parameters<typeof sharedPrefixCaches>[0];

function about(
  consumers: readonly string[],
  share: readonly string[] | readonly (readonly string[])[] = [],
  models = [modelPlan(), ollamaPlan()],
): Given {
  const plan = { models } as unknown as Given["plan"];
  const environment = { gateway: { consumers, prefixCaches: { share } } } as unknown as Given["environment"];
  return { plan, environment };
}

const advice = (...given: Parameters<typeof about>) => sharedPrefixCaches(about(...given));

describe("models whose engine reuses prompts for everybody", () => {
  it("are named where several consumers may call them", () => {
    const [{ rule, subject, message } = {}] = advice(["web", "batch"]);
    expect([rule, subject]).toEqual(["shared-prefix-caches", "gateway.consumers"]);
    expect(message).toContain(`models.${ollamaPlan().name} (Ollama)`);
    expect(message).not.toContain(modelPlan().name);
    expect(advice(["web", "batch"], [], [modelPlan({ engineVersion: "0.9.2" })])).toHaveLength(1);
  });

  it("are nobody's concern with one consumer, or where all may know", () => {
    expect(advice(["web"])).toEqual([]);
    expect(advice(["web", "batch"], [["web", "batch"]])).toEqual([]);
    expect(advice(["web", "batch"], ["web", "batch"])).toEqual([]);
  });
});

describe("models that take images", () => {
  const takesImages = (changes: Parameters<typeof modelPlan>[0] = {}) => [modelPlan({ takesImages: true, ...changes })];
  const said = (models: Parameters<typeof about>[2], consumers = ["web", "batch"]) =>
    sharedImageCaches(about(consumers, [], models));

  it("are named where several consumers may call them, whatever becomes of prompts", () => {
    for (const name of ["seed", "mm-processor-cache-gb"]) {
      const args = { [name]: 0 };
      const [{ rule, message } = {}] = said(takesImages({ args }));
      expect([rule, message]).toEqual(["shared-image-caches", expect.stringContaining("models.llama-8b: ")]);
    }
  });

  it("are nobody's concern where they take none, or one consumer calls", () => {
    expect(said([modelPlan()])).toEqual([]);
    expect(said(takesImages(), ["web"])).toEqual([]);
    expect(said(takesImages({ args: { "limit-mm-per-prompt": { image: 0, video: 0 } } }))).toEqual([]);
    expect(said(takesImages({ args: { "language-model-only": true } }))).toEqual([]);
  });
});
