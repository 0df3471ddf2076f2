import { describe, expect, it } from "vitest";
import { sharedPrefixCaches } from "../../../stacks/advice/prefix-caches";
import { modelPlan, ollamaPlan } from "../../harness/plans";

type Given = Parameters<typeof sharedPrefixCaches>[0];

function advice(
  consumers: readonly string[],
  share: readonly (readonly string[])[] = [],
  models = [modelPlan(), ollamaPlan()],
) {
  const plan = { models } as unknown as Given["plan"];
  const environment = { gateway: { consumers, prefixCaches: { share } } } as unknown as Given["environment"];
  return sharedPrefixCaches({ plan, environment });
}

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
  });
});
