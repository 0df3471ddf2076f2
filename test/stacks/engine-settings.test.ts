import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../planner/types";
import { environmentText, problemsWith, rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";

async function planned(settings: Record<string, unknown>) {
  const { plan } = await planText(environmentText({ ...rightEnvironment, models: { chat: settings } }));
  const problems = refusalsOf(plan).map(({ rule, subject, message }) => ({ rule, subject, message }));
  return { model: plan.models[0] as ModelPlan, problems };
}

const OFF = /parsers for this family, which are off/;

describe("toolCalling and reasoning", () => {
  it("start the parsers of the model's family", async () => {
    const { model, problems } = await planned({ model: "qwen3-8b", vllm: { toolCalling: true, reasoning: true } });
    expect(problems).toEqual([]);
    expect(model.args).toEqual({
      "enable-auto-tool-choice": true,
      "tool-call-parser": "hermes",
      "reasoning-parser": "qwen3",
    });
    expect(model.notes.filter((note) => OFF.test(note))).toEqual([]);
  });

  it("are offered in the plan where the family has them, and off by default", async () => {
    const { model } = await planned({ model: "qwen3-8b" });
    expect(model.args).toBeUndefined();
    expect(model.notes).toContain(
      "vLLM has parsers for this family, which are off; under vllm: toolCalling: true (hermes), reasoning: true (qwen3)",
    );
    const half = await planned({ model: "qwen3-8b", vllm: { toolCalling: true } });
    expect(half.model.notes.find((note) => OFF.test(note))).toMatch(/off; under vllm: reasoning: true \(qwen3\)$/);
    const unknown = await planned({ model: "phi-4" });
    expect(unknown.model.notes.filter((note) => OFF.test(note))).toEqual([]);
  });

  it("take the parser that args name", async () => {
    const { model, problems } = await planned({
      model: "phi-4",
      vllm: { toolCalling: true },
      args: { "tool-call-parser": "pythonic" },
    });
    expect(problems).toEqual([]);
    expect(model.args).toEqual({ "enable-auto-tool-choice": true, "tool-call-parser": "pythonic" });
  });

  it("are refused where no parser is known, with the list and the way to name one", async () => {
    const { problems } = await planned({ model: "phi-4", vllm: { toolCalling: true, reasoning: true } });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatchObject({ rule: "chat-parsers", subject: "models.chat" });
    expect(problems[0]?.message).toMatch(
      /^vllm\.toolCalling: no tool-call-parser of vLLM 0\.33\.0 is known for microsoft\/phi-4 \(family phi3\)\. Name one under args, for example args: \{tool-call-parser: hermes\}, .*llama3_json/,
    );
    expect(problems[1]?.message).toMatch(/^vllm\.reasoning: no reasoning-parser .*deepseek_r1/);
  });

  it("belong to chat models on vLLM", () => {
    const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama", vllm: { toolCalling: true } };
    const embedding = { model: "bge-m3", vllm: { reasoning: true } };
    expect(problemsWith({ models: { ollama, embedding } }).map(({ path, allowed }) => [path, allowed])).toEqual([
      ["models.ollama.vllm", "only with engine vllm"],
      ["models.embedding.vllm.reasoning", "only with task chat, this one is embedding"],
    ]);
  });
});
