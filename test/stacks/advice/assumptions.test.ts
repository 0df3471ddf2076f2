import { describe, expect, it } from "vitest";
import { onA10, planOf, useFolder } from "../../cli/run";

const folder = useFolder();

interface Problem {
  readonly policy: string;
  readonly resource: string;
  readonly message: string;
}

async function told(models: object): Promise<Problem[]> {
  const { out } = await planOf(folder, onA10({}, { models }), "--json");
  return (JSON.parse(out) as { violations: Problem[] }).violations;
}

describe("what a plan assumes", () => {
  it("is told once: how many requests have room where neither the file nor traffic says it", async () => {
    const problems = await told({
      one: { model: "qwen2.5-0.5b-instruct", contextTokens: 2048 },
      two: { model: "qwen2.5-0.5b-instruct", contextTokens: 1024 },
      said: { model: "qwen2.5-0.5b-instruct", concurrency: 16 },
    });
    const assumed = problems.filter(({ policy }) => policy === "assumed-concurrency");
    expect(assumed).toMatchObject([
      {
        resource: "models.one.concurrency",
        message: expect.stringMatching(
          /^one: 16 requests of 2048 tokens each, two: 16 requests of 1024 tokens each at/,
        ),
      },
    ]);
    expect(assumed[0]?.message).not.toContain("said");
  });

  it("is told of stages beside a tensor parallel size of the file's, and of no others", async () => {
    const model = { model: "qwen2.5-32b-instruct", concurrency: 4 };
    const rules = async (vllm: object) => (await told({ chat: { ...model, vllm } })).map(({ policy }) => policy);
    expect(await rules({ tensorParallel: 2 })).toContain("added-stages");
    expect(await rules({ tensorParallel: 2, pipelineParallel: 2 })).not.toContain("added-stages");
    expect(await rules({})).not.toContain("added-stages");
  });
});
