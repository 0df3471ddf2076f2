import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parsersAskedFor } from "../../../engines/vllm/asked-parsers";
import { chatParserRows, chatParsers } from "../../../engines/vllm/chat-parsers";
import { vllmArgument } from "../../../engines/vllm/options";
import { knownFamilies } from "../../../planner/model/families/registry";
import { modelOf } from "../../planner/fixtures";
import { read } from "../../planner/model/families/reading";

const text = z.string().min(1);
const row = z.strictObject({
  families: z.array(text).nonempty(),
  model: text.optional(),
  toolCalls: text.optional(),
  template: z
    .strictObject({ file: z.string().regex(/^tool_chat_template_[\w.]+\.jinja$/), needed: z.boolean() })
    .optional(),
  reasoning: text.optional(),
  tokenizerMode: z.strictObject({ name: text, until: text }).optional(),
  source: text,
  asOf: z.iso.date(),
});

describe("the parsers of DeepSeek-V3.2", () => {
  const asked = (engineVersion: string, args = {}) => {
    const architecture = read("deepseek_v32");
    const model = modelOf("qwen3-8b", { architecture, engineVersion, args });
    const owner = { key: "models.chat.vllm", version: engineVersion, hasTemplates: true };
    return parsersAskedFor(owner, { toolCalling: true, reasoning: true }, model);
  };

  it("come with the tokenizer that has its template, where a release does not take it by itself", () => {
    const parsers = { "tool-call-parser": "deepseek_v32", "reasoning-parser": "deepseek_v3" };
    const mode = { "tokenizer-mode": "deepseek_v32" };
    expect(asked("0.33.0").args).toEqual({ "enable-auto-tool-choice": true, ...parsers });
    expect(asked("0.17.1").args).toEqual({ "enable-auto-tool-choice": true, ...parsers, ...mode });
    expect(asked("0.17.1", { "tokenizer-mode": "hf" }).args).not.toHaveProperty("tokenizer-mode");
  });

  it("are none in a release before them", () => {
    expect(
      asked("0.12.0")
        .problems.map(({ message }) => message)
        .join(),
    ).toContain("no tool-call-parser of vLLM 0.12.0");
  });
});

describe("parsers of chat models", () => {
  it("have rows of the right shape", () => {
    expect(z.array(row).nonempty().safeParse(chatParserRows).error?.issues ?? []).toEqual([]);
  });

  it("are parsers that the pinned vLLM has, for families that the planner reads", () => {
    const tools = vllmArgument("tool-call-parser")?.choices ?? [];
    const reasoning = vllmArgument("reasoning-parser")?.choices ?? [];
    const families = knownFamilies();
    const wrong = chatParserRows.filter(
      (row) =>
        (row.toolCalls !== undefined && !tools.includes(row.toolCalls)) ||
        (row.reasoning !== undefined && !reasoning.includes(row.reasoning)) ||
        (row.template !== undefined && row.toolCalls === undefined) ||
        row.families.some((family) => !families.includes(family)),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["qwen2", "Qwen/Qwen2.5-7B-Instruct", { toolCalls: "hermes" }],
    ["qwen2", "Qwen/Qwen2.5-Coder-32B-Instruct", {}],
    ["qwen2", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", { reasoning: "deepseek_r1" }],
    ["qwen3", "Qwen/Qwen3-8B", { toolCalls: "hermes", reasoning: "qwen3" }],
    ["qwen3_moe", "Qwen/Qwen3-30B-A3B-Instruct-2507", { toolCalls: "hermes" }],
    ["qwen3_moe", "Qwen/Qwen3-Coder-30B-A3B-Instruct", { toolCalls: "qwen3_xml" }],
    ["llama", "meta-llama/Llama-3.3-70B-Instruct", { toolCalls: "llama3_json" }],
    ["llama", "meta-llama/Meta-Llama-3.1-8B-Instruct", { toolCalls: "llama3_json" }],
    ["llama", "s3://models/llama-3-1-8b", { toolCalls: "llama3_json" }],
    ["llama", "meta-llama/Llama-2-7b-chat-hf", {}],
    ["llama", "NousResearch/Hermes-3-Llama-3.1-8B", { toolCalls: "hermes" }],
    ["deepseek_v3", "deepseek-ai/DeepSeek-R1", { reasoning: "deepseek_r1" }],
    ["deepseek_v3", "deepseek-ai/DeepSeek-V3.1", { toolCalls: "deepseek_v31", reasoning: "deepseek_v3" }],
    ["deepseek_v4", "deepseek-ai/DeepSeek-V4-Flash", { toolCalls: "deepseek_v4", reasoning: "deepseek_v4" }],
    ["minimax_m2", "MiniMaxAI/MiniMax-M2.5", { toolCalls: "minimax_m2", reasoning: "minimax_m2" }],
    ["gpt_oss", "openai/gpt-oss-20b", { toolCalls: "openai", reasoning: "openai_gptoss" }],
    ["opt", "facebook/opt-125m", {}],
  ])("of %s %s are %j", (family, model, expected) => {
    const { template: _, ...parsers } = chatParsers(family, model);
    expect(parsers).toEqual(expected);
  });

  it.each([
    ["llama", "meta-llama/Llama-3.3-70B-Instruct", "llama3.1_json", false],
    ["llama", "meta-llama/Llama-3.2-3B-Instruct", "llama3.2_json", false],
    ["llama4_text", "meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama4_pythonic", true],
    ["deepseek_v3", "deepseek-ai/DeepSeek-V3", "deepseekv3", true],
    ["deepseek_v3", "deepseek-ai/DeepSeek-V3.1", "deepseekv31", true],
    ["deepseek_v3", "deepseek-ai/DeepSeek-R1-0528", "deepseekr1", true],
  ])("of %s %s go with the template %s", (family, model, template, needed) => {
    expect(chatParsers(family, model).template).toEqual({ file: `tool_chat_template_${template}.jinja`, needed });
  });
});
