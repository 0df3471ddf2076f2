import { describe, expect, it } from "vitest";
import { vllmArguments } from "../../components/serving/vllm-args";
import { settingsOf } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import { modelPlan } from "../harness/plans";
import { modelOf } from "../planner/fixtures";
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

  describe("of a family whose own template offers no tools", () => {
    const scout = { model: "llama-4-scout-17b-16e-instruct", contextTokens: 8192, concurrency: 1 };

    it.each([
      ["nvidia", "/vllm-workspace/examples/"],
      ["amd", "/app/vllm/examples/"],
      [undefined, "/vllm-workspace/examples/"],
    ] as const)("start with vLLM's own: on %s", (gpuVendor, folder) => {
      const engineSettings = { toolTemplate: "tool_chat_template_llama4_pythonic.jinja" };
      const model = modelPlan({ gpuVendor, engineSettings });
      expect(vllmArguments(model, "/m")).toContain(`--chat-template=${folder}${engineSettings.toolTemplate}`);
    });

    it("plan that template, or the user's", () => {
      const outcome = (block: object, changes = {}) =>
        settingsOf("vllm").outcome(block, modelOf(scout.model, changes)).engineSettings;
      const changes = {
        source: { kind: "huggingface", repository: "meta-llama/Llama-4-Scout-17B-16E-Instruct", revision: "main" },
      } as const;
      expect(outcome({ toolCalling: true }, changes)).toEqual({
        toolTemplate: "tool_chat_template_llama4_pythonic.jinja",
      });
      expect(outcome({}, changes)).toBeUndefined();
      expect(outcome({ toolCalling: true, chatTemplate: "own.jinja" }, changes)).toBeUndefined();
      expect(outcome({ toolCalling: true }, { ...changes, args: { "tool-call-parser": "pythonic" } })).toBeUndefined();
    });

    it.each([
      ["vllm", "0.29.0", ["chat-parsers"]],
      ["vllm", "0.30.0", []],
      ["ray", "2.56.0", ["chat-parsers"]],
    ] as const)(
      "are refused on %s %s, whose image may lack it, without a template of one's own: %j",
      (engine, engineVersion, rules) => {
        const model = modelOf(scout.model, { engine, engineVersion });
        const problems = (block: object) => settingsOf(engine).outcome(block, model).problems;
        expect(problems({ toolCalling: true }).map(({ rule }) => rule)).toEqual(rules);
        expect(problems({ toolCalling: true, chatTemplate: "own.jinja" })).toEqual([]);
      },
    );

    it("are not refused where it is only better than the model's own", () => {
      const llama = modelOf("llama-3.1-8b-instruct", { engineVersion: "0.29.0" });
      const outcome = settingsOf("vllm").outcome({ toolCalling: true }, llama);
      expect([outcome.problems, outcome.engineSettings]).toEqual([[], undefined]);
    });
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
