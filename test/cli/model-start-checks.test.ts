import { describe, expect, it } from "vitest";
import { main } from "../../cli/model";
import { planDeployment } from "../../planner/plan";
import { environmentOf, modelOf, poolOf } from "../planner/fixtures";

interface Answer {
  readonly fits: boolean;
  readonly verdict: { readonly decides: string };
  readonly remedies: readonly { readonly options: string }[];
}

async function answer(...argv: string[]): Promise<Answer> {
  let out = "";
  const write = (text: string) => {
    out += text;
  };
  expect(await main([...argv, "--json"], { out: write, err: write })).toBeLessThan(2);
  return JSON.parse(out) as Answer;
}

/** Each of the options that are proposed for one layout, with what is answered to them. */
async function proposals(...argv: string[]): Promise<(readonly [options: string, fits: boolean])[]> {
  const { remedies } = await answer(...argv);
  const ofLayout = remedies.filter(({ options }) => !options.startsWith("--tp"));
  return Promise.all(
    ofLayout.map(async ({ options }) => [options, (await answer(...argv, ...options.split(" "))).fits] as const),
  );
}

describe("what npm run model proposes where the engine lacks memory to start", () => {
  const recurrent = ["nemotron-3-nano-30b-a3b", "--card", "h100", "--context", "8192"];

  it("is a limit of sequences for recurrent states, which fits and plans", async () => {
    expect((await answer(...recurrent)).verdict.decides).toBe("recurrent states");
    const found = await proposals(...recurrent);
    expect(found.filter(([, fits]) => !fits)).toEqual([]);
    const sequences = found.map(([options]) => /^--max-num-seqs (\d+)$/.exec(options)?.[1]).find(Boolean);
    expect(Number(sequences)).toBeGreaterThan(1);
    const model = modelOf("nemotron-3-nano-30b-a3b", {
      contextTokens: 8192,
      concurrency: 1,
      tensorParallel: 1,
      maxNumSeqs: Number(sequences),
    });
    const { problems, models } = planDeployment(environmentOf([poolOf("BM.GPU.H100.8", 1, { minNodes: 1 })], [model]));
    expect(problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    expect(models[0]?.maxNumSeqs).toBe(Number(sequences));
  });

  it("is less of the card, or no graphs, where these find no room", async () => {
    const found = await proposals("qwen3-30b-a3b", "--card", "a10", "--tp", "4", "--vllm-version", "0.8.5");
    expect(found.map(([options]) => options)).toEqual(
      expect.arrayContaining(["--utilization 0.85", "--enforce-eager"]),
    );
    expect(found.filter(([, fits]) => !fits)).toEqual([]);
  });

  it("is neither where the load decides", async () => {
    const { remedies } = await answer("qwen3-8b", "--card", "l4", "--context", "40960", "--concurrency", "4");
    expect(remedies.map(({ options }) => options).join()).not.toMatch(/max-num-seqs|utilization|eager/);
  });
});
