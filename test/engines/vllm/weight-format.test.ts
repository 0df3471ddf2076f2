import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelNames } from "../../../catalog/models";
import { vllmArguments } from "../../../components/serving/vllm-args";
import { weightKinds } from "../../../engines/vllm/weight-formats";
import { parseModelConfigText } from "../../../planner/model/config-json";
import { formatNames, isGgufName } from "../../../planner/model/format-names";
import { planDeployment } from "../../../planner/plan";
import type { ModelRequest } from "../../../planner/request";
import { loadAs, weightFormatNotes, weightFormatProblem } from "../../../planner/weight-format";
import upstream from "../../fixtures/upstream/vllm-flags.json";
import { atNight } from "../../harness/property-runs";
import { architectureOf, environmentOf, modelOf, poolOf } from "../../planner/fixtures";

const QUANTIZATIONS: readonly unknown[] = upstream.flags.find(({ name }) => name === "--quantization")?.choices ?? [];
const CHECKPOINT_ONLY = weightKinds.flatMap(({ declared }) => declared);
const MADE_AT_LOAD = weightKinds.flatMap(({ madeAtLoad }) => madeAtLoad);

/** A Qwen3 4B whose config.json has this quantization_config. */
function quantized(section: Record<string, unknown>): ModelRequest {
  const config = {
    model_type: "qwen3",
    hidden_size: 2560,
    num_hidden_layers: 36,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 128,
    intermediate_size: 9728,
    vocab_size: 151936,
    max_position_embeddings: 40960,
    torch_dtype: "bfloat16",
    quantization_config: section,
  };
  return modelOf("qwen3-8b", { architecture: parseModelConfigText(JSON.stringify(config)) });
}

function refusalOf(model: ModelRequest): string {
  return weightFormatProblem(model)?.message ?? "";
}

describe("quantization", () => {
  it.each(CHECKPOINT_ONLY)("%s is refused on a BF16 checkpoint, which vLLM would not start with", (quantization) => {
    const message = refusalOf(modelOf("llama-3.3-70b-instruct", { quantization }));
    expect(message).toContain(`quantization ${quantization}`);
    expect(message).toContain("write quantization: fp8");
  });

  it.each(MADE_AT_LOAD)(
    "%s is made from a BF16 checkpoint, under a name that the release's parser knows",
    (quantization) => {
      const model = modelOf("qwen3-8b", { quantization });
      expect(weightFormatProblem(model)).toBeUndefined();
      expect(loadAs(model)).toEqual({ quantization });
      expect(QUANTIZATIONS).toContain(quantization);
    },
  );

  it.each([
    ["qwen3-4b-awq", "awq"],
    ["gpt-oss-20b", "mxfp4"],
    ["qwen3-235b-a22b-fp8", "fp8"],
    ["qwen3-235b-a22b-fp8", "fp8_per_block"],
    ["kimi-k2.5", "int4"],
    ["kimi-k2.5", "w4a16"],
  ])("of %s: %s repeats what its config.json declares, and is no flag", (name, quantization) => {
    expect(weightFormatProblem(modelOf(name, { quantization }))).toBeUndefined();
    expect(loadAs(modelOf(name, { quantization }))).toBeUndefined();
  });

  it.each([
    ["qwen3-4b-awq", "gptq", "declares awq-int4-group-128 weights (quant_method awq)"],
    ["gpt-oss-20b", "fp8", "declares mxfp4 weights (quant_method mxfp4)"],
    ["kimi-k2.5", "awq", "(quant_method compressed-tensors)"],
    ["qwen3-4b-awq", "bf16", "vLLM does not unpack it"],
  ])("of %s: %s is refused, as vLLM does not convert quantized checkpoints", (name, quantization, because) => {
    expect(refusalOf(modelOf(name, { quantization }))).toContain(because);
    expect(refusalOf(modelOf(name, { quantization }))).toContain("remove quantization");
  });

  it("passes a number type as dtype, where it is another than the checkpoint's", () => {
    expect(loadAs(modelOf("qwen3-8b", { quantization: "fp16" }))).toEqual({ dtype: "float16" });
    expect(loadAs(modelOf("qwen3-8b", { quantization: "fp32" }))).toEqual({ dtype: "float32" });
    expect(loadAs(modelOf("qwen3-8b", { quantization: "bf16" }))).toBeUndefined();
  });

  it("refuses float16 for the families that overflow in it", () => {
    expect(refusalOf(modelOf("gemma-2-9b-it", { quantization: "fp16" }))).toContain("write quantization: bf16");
    expect(refusalOf(modelOf("medgemma-27b-it", { quantization: "half" }))).toContain("gemma3");
    expect(refusalOf(modelOf("gemma-2-9b-it", { args: { dtype: "half" } }))).toContain("gemma2");
    expect(refusalOf(modelOf("gemma-2-9b-it", { args: { dtype: "float" } }))).toBe("");
  });

  it("refuses bitsandbytes, which the pinned release has no more, and leaves it to releases that have it", () => {
    const inflight = { quantization: "bitsandbytes" };
    expect(refusalOf(modelOf("qwen3-8b", inflight))).toContain("vLLM 0.33.0 has no method of that name any more");
    expect(loadAs(modelOf("qwen3-8b", { ...inflight, engineVersion: "0.19.0" }))).toEqual(inflight);
    const packed = quantized({ quant_method: "bitsandbytes", load_in_4bit: true });
    expect(refusalOf(packed)).toContain("vLLM 0.33.0 has no method of that name any more");
    expect(refusalOf({ ...packed, engineVersion: "0.19.0" })).toBe("");
  });

  it("allows a deprecated checkpoint with the flag that the release asks for", () => {
    const model = quantized({ quant_method: "fbgemm_fp8" });
    expect(loadAs(model)).toEqual({ flag: "--allow-deprecated-quantization" });
    expect(weightFormatProblem(model)).toBeUndefined();
  });

  it("trusts a source of one's own beside a catalogue name, and says that its config.json was not read", () => {
    const own = modelOf("llama-3.3-70b-instruct", { quantization: "awq", configIsOfAnotherSource: true });
    expect(weightFormatProblem(own)).toBeUndefined();
    expect(loadAs(own)).toBeUndefined();
    expect(weightFormatNotes(own)).toEqual([
      "the config.json of its source must declare awq weights: that file was not read",
    ]);
    expect(weightFormatNotes(modelOf("qwen3-4b-awq", { quantization: "awq" }))).toEqual([]);
  });

  it("is no business of vLLM's for Ollama", () => {
    const model = modelOf("phi-4", { engine: "ollama", engineVersion: "0.32.15", quantization: "Q4_K_M" });
    expect(weightFormatProblem(model)).toBeUndefined();
    expect(loadAs(model)).toBeUndefined();
  });

  it("covers every name that a configuration may have", () => {
    const named = formatNames.filter((name) => !isGgufName(name));
    const numberTypes = ["bf16", "bfloat16", "fp16", "float16", "half", "fp32", "float32"];
    expect(named.filter((name) => !numberTypes.includes(name)).sort()).toEqual(
      [...MADE_AT_LOAD, ...CHECKPOINT_ONLY].sort(),
    );
  });

  it("reaches the command line only as what the release makes of that checkpoint, whatever is asked for", () => {
    const architectures = new Map(modelNames().map((name) => [name, architectureOf(name)]));
    const names = formatNames.filter((name) => !isGgufName(name));
    const pool = poolOf("BM.GPU.B200.8", 4);
    fc.assert(
      fc.property(
        fc.constantFrom(...architectures.keys()),
        fc.constantFrom(undefined, ...names),
        (name, quantization) => {
          const architecture = architectures.get(name);
          if (!architecture) {
            throw new Error(name);
          }
          const model = { ...modelOf("qwen3-8b"), architecture, contextTokens: 128, concurrency: 1, quantization };
          const plan = planDeployment(environmentOf([pool], [model]));
          const [placed] = plan.models;
          if (!placed) {
            expect(plan.problems.some(({ severity }) => severity === "mandatory")).toBe(true);
            return;
          }
          const flag = vllmArguments(placed, "/m").find((arg) => arg.startsWith("--quantization="));
          const value = flag?.slice("--quantization=".length);
          // vLLM refuses a flag that differs from what config.json declares, and a name without files to it.
          expect(value === undefined || (MADE_AT_LOAD.includes(value) && QUANTIZATIONS.includes(value))).toBe(true);
          expect(value === undefined || architecture.quantization.rules.length === 0).toBe(true);
        },
      ),
      { numRuns: atNight(80) },
    );
  });
});
