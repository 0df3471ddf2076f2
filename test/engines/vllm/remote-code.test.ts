import { describe, expect, it } from "vitest";
import { z } from "zod";
import { vllmOptions } from "../../../engines/vllm/options";
import { remoteCodeProblems, remoteCodeRows, remoteCodeVersion } from "../../../engines/vllm/remote-code";
import { knownFamilies } from "../../../planner/model/families/registry";
import { modelOf } from "../../planner/fixtures";
import { environmentText, rightEnvironment } from "../../stacks/config/samples";
import { planText, refusalsOf } from "../../stacks/planned";

const text = z.string().min(1);
const row = z.strictObject({
  families: z.array(text).nonempty(),
  why: text,
  everyVersion: z.literal(true).optional(),
  source: text,
});

describe("families that need code of their repositories", () => {
  it("have rows of the right shape, of the pinned release, for families that the planner reads", () => {
    expect(z.array(row).nonempty().safeParse(remoteCodeRows).error?.issues ?? []).toEqual([]);
    expect(remoteCodeVersion).toBe(vllmOptions.options.version);
    expect(knownFamilies()).toEqual(expect.arrayContaining(remoteCodeRows.flatMap(({ families }) => families)));
  });

  it.each([
    [{}, true],
    [{ args: { "trust-remote-code": false } }, true],
    [{ args: { "trust-remote-code": true } }, false],
    [{ engineVersion: "0.30.0" }, true],
  ])("are refused without the flag: Kimi with %o", (settings, isRefused) => {
    const rules = remoteCodeProblems(modelOf("kimi-k2.5", settings)).map(({ rule }) => rule);
    expect(rules).toEqual(isRefused ? ["remote-code"] : []);
  });

  it("name what to write: the commit too where there is none", () => {
    const [moving] = remoteCodeProblems(modelOf("kimi-k2.5"));
    expect(moving?.message).toMatch(/tokenization_kimi\.py.*trust-remote-code: true.*npm run pin/s);
    const source = { kind: "huggingface", repository: "moonshotai/Kimi-K2.5", revision: "a".repeat(40) } as const;
    const [fixed] = remoteCodeProblems(modelOf("kimi-k2.5", { source }));
    expect(fixed?.message).not.toContain("npm run pin");
  });

  it.each(["qwen2.5-7b-instruct", "deepseek-v3", "nemotron-3-nano-30b-a3b", "minimax-m2.5"])(
    "are not %s, whose classes the release has",
    (name) => {
      expect(remoteCodeProblems(modelOf(name))).toEqual([]);
    },
  );

  it.each(["vllm", "ray"])("are refused on %s, and planned with flag and commit", async (engine) => {
    const pools = {
      ...rightEnvironment.pools,
      gpu: { node: { card: "h200", gpuCount: 8, vcpus: 192, memoryGiB: 2000, localNvmeGB: 20_000 } },
    };
    const kimi = { model: "kimi-k2.5", engine, contextTokens: 8192, concurrency: 1 };
    const planned = async (settings: object) => {
      const models = { chat: { ...kimi, ...settings } };
      const { plan } = await planText(
        environmentText({ ...rightEnvironment, cluster: { kind: "local" }, pools: { gpu: pools.gpu }, models }),
      );
      return refusalsOf(plan).map(({ rule }) => rule);
    };
    expect(await planned({})).toContain("remote-code");
    const source = `hf://moonshotai/Kimi-K2.5@${"0".repeat(40)}`;
    expect(await planned({ source, args: { "trust-remote-code": true } })).not.toContain("remote-code");
  });
});
