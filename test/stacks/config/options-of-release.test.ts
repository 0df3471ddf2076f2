import { describe, expect, it } from "vitest";
import { problemsWith } from "./samples";

/** The one problem of a model with these settings; undefined where there is none. */
function problem(settings: Record<string, unknown>) {
  const [first, ...others] = problemsWith({ models: { chat: { model: "qwen2.5-7b-instruct", ...settings } } });
  expect(others).toEqual([]);
  return first && { path: first.path.replace("models.chat.", ""), said: `${first.allowed}; ${first.fix}` };
}

describe("options of a model with a release of its own", () => {
  it("are those that the release has", () => {
    expect(problem({ engineVersion: "0.9.1", args: { seed: 1, "swap-space": 4, "tool-call-parser": "hermes" } })).toBe(
      undefined,
    );
    expect(problem({ engineVersion: "0.34.0", args: { tomorrow: true } })).toBeUndefined();
    expect(problem({ engineVersion: "0.34.0", env: { VLLM_TOMORROW: "1" } })).toBeUndefined();
    expect(problem({ engineVersion: "0.9.1", env: { NCCL_DEBUG: "INFO" } })).toBeUndefined();
  });

  it("are those of a canary's release too", () => {
    const canary = { engineVersion: "0.9.1", weight: 0 };
    const problems = problemsWith({
      models: { chat: { model: "qwen2.5-7b-instruct", args: { "async-scheduling": true }, canary } },
    });
    expect(problems).toMatchObject([{ path: expect.stringMatching(/args\.async-scheduling$/) }]);
  });

  it.each([
    [
      "a flag that came later",
      { engineVersion: "0.9.1", args: { "async-scheduling": true } },
      {
        path: "args.async-scheduling",
        said: /vLLM 0\.9\.1; it needs vLLM 0\.10\.0 or newer: write such an engineVersion/,
      },
    ],
    [
      "nothing, and the platform writes it",
      { engineVersion: "0.9.1", args: { task: "embed" } },
      { path: "args.task", said: /set by task of the model/ },
    ],
    [
      "a flag that went before",
      { engineVersion: "0.30.0", args: { "swap-space": 4 } },
      { path: "args.swap-space", said: /it needs vLLM 0\.\d+\.\d+ or older/ },
    ],
    [
      "a misspelt flag",
      { engineVersion: "0.9.1", args: { "enable-auto-tool-choise": true } },
      { path: "args.enable-auto-tool-choise", said: /vLLM 0\.9\.1; did you mean "enable-auto-tool-choice"/ },
    ],
    [
      "a negation",
      { engineVersion: "0.9.1", args: { "no-enable-prefix-caching": true } },
      { path: "args.no-enable-prefix-caching", said: /write enable-prefix-caching: false/ },
    ],
    [
      "a parser that came later",
      { engineVersion: "0.9.1", args: { "tool-call-parser": "glm45" } },
      { path: "args.tool-call-parser", said: /with vLLM 0\.9\.1 one of .*hermes.*0\.10\.1 or newer/ },
    ],
    [
      "a variable that came later",
      { engineVersion: "0.13.0", env: { VLLM_LOG_MODEL_INSPECTION: "1" } },
      { path: "env.VLLM_LOG_MODEL_INSPECTION", said: /a variable of vLLM 0\.13\.0; it needs vLLM 0\.14\.0 or newer/ },
    ],
    [
      "a flag that the image with Ray lacks",
      { vllm: { distributedExecutor: "ray" }, args: { "reasoning-effort-map": { low: "low" } } },
      { path: "args.reasoning-effort-map", said: /vLLM 0\.17\.1; it needs vLLM/ },
    ],
    [
      "a variable of Ollama that came later",
      { model: "llama-3.2-3b-instruct", engine: "ollama", engineVersion: "0.9.0", env: { OLLAMA_GO_TEMPLATE: "1" } },
      { path: "env.OLLAMA_GO_TEMPLATE", said: /a variable of Ollama 0\.9\.0/ },
    ],
    [
      "a variable of its own that no release has",
      { model: "llama-3.2-3b-instruct", engine: "ollama", engineVersion: "0.20.3", env: { OLLAMA_LOG_LEVEL: "info" } },
      { path: "env.OLLAMA_LOG_LEVEL", said: /a variable of Ollama 0\.20\.3/ },
    ],
    [
      "a misspelt variable",
      { engineVersion: "0.10.2", env: { VLLM_ATENTION_BACKEND: "FLASHINFER" } },
      { path: "env.VLLM_ATENTION_BACKEND", said: /vLLM 0\.10\.2; did you mean "VLLM_ATTENTION_BACKEND"/ },
    ],
  ])("are refused where it lacks %s", (_, settings, { path, said }) => {
    expect(problem(settings)).toEqual({ path, said: expect.stringMatching(said) });
  });
});
