import { describe, expect, it } from "vitest";
import { engineOptionAdvice } from "../../../stacks/advice/engine-options";
import { modelPlan, ollamaPlan } from "../../harness/plans";

const said = (overrides: Parameters<typeof modelPlan>[0]) =>
  engineOptionAdvice({ plan: { models: [modelPlan(overrides)] } }).map(({ severity, rule, subject, message }) => {
    expect({ severity, subject }).toEqual({ severity: "advisory", subject: "models.llama-8b" });
    return [rule, message];
  });

describe("what the plan says of the options that the user gives an engine", () => {
  it("is nothing where there is nothing to say", () => {
    expect(said({})).toEqual([]);
    expect(said({ args: { seed: 1 }, env: { NCCL_DEBUG: "INFO" } })).toEqual([]);
    // The estimate counts with it.
    expect(said({ args: { "max-num-batched-tokens": 16_384, dtype: "float32", "enforce-eager": true } })).toEqual([]);
    expect(said({ args: { "limit-mm-per-prompt": { image: 0, video: 0 }, "moe-backend": "marlin" } })).toEqual([]);
  });

  it("names what the memory figure does not know", () => {
    const [[rule, message] = [], ...others] = said({
      takesImages: true,
      keepsStates: true,
      args: { "limit-mm-per-prompt": { image: 2 }, "mamba-ssm-cache-dtype": "float32" },
      env: { VLLM_MLA_DISABLE: "1" },
    });
    expect(others).toEqual([]);
    expect(rule).toBe("engine-options-memory");
    for (const part of ["limit-mm-per-prompt: encoder inputs", "mamba-ssm-cache-dtype: rec", "VLLM_MLA_DISABLE: "]) {
      expect(message).toContain(part);
    }
    expect(message).toMatch(/lower concurrency or contextTokens/);
  });

  it("says nothing of switches that are off, nor of what the model has not", () => {
    const args = { "enable-log-requests": false, "enable-eplb": false, "trust-remote-code": false };
    expect(said({ args, env: { VLLM_ENABLE_RESPONSES_API_STORE: "0" } })).toEqual([]);
    const ofOthers = { "enable-prefix-caching": true, "mamba-ssm-cache-dtype": "float32" };
    expect(said({ args: ofOthers })).toEqual([]);
    expect(said({ args: ofOthers, keepsStates: true }).map(([rule]) => rule)).toEqual(["engine-options-memory"]);
    expect(said({ args: { "skip-mm-profiling": true } })).toEqual([]);
    expect(said({ args: { "skip-mm-profiling": true }, takesImages: true })).toHaveLength(1);
    // Off is not the default of such a variable.
    expect(said({ env: { VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS: "0" } })).toHaveLength(1);
  });

  it("warns of foreign code and of prompts in the log", () => {
    expect(said({ args: { "trust-remote-code": true, "enable-log-requests": true } })).toEqual([
      [
        "engine-options",
        expect.stringMatching(/trust-remote-code: runs the Python code.*enable-log-requests: writes prompts/),
      ],
    ]);
  });

  it("says against which version they were checked, and what that one does not know", () => {
    expect(said({ engineVersion: "0.34.0", args: { seed: 1, tomorrow: true } })).toEqual([
      [
        "engine-options-version",
        "args and env were checked against vllm 0.33.0, not against 0.34.0. It does not know tomorrow: passed on as written.",
      ],
    ]);
    expect(said({ engineVersion: "0.34.0" })).toEqual([]);
    expect(said({ engineVersion: "0.9.1", args: { seed: 1 } })).toEqual([
      ["engine-options-version", expect.stringMatching(/^names .* against vllm 0\.9\.1, values against 0\.33\.0/)],
    ]);
  });

  it("holds for Ollama too", () => {
    const model = ollamaPlan({ engineVersion: "0.32.14", env: { OLLAMA_GPU_OVERHEAD: "1000" } });
    expect(engineOptionAdvice({ plan: { models: [model] } }).map(({ rule }) => rule)).toEqual([
      "engine-options-memory",
      "engine-options-version",
    ]);
  });
});
