import { describe, expect, it } from "vitest";
import { vllmCpuVerdict } from "../../../engines/vllm/cpu-verdict";
import { modelOf } from "../../planner/fixtures";

const QWEN = "qwen2.5-0.5b-instruct";
const verdict = (changes: Parameters<typeof modelOf>[1], arch: "amd64" | "arm64" = "amd64") =>
  vllmCpuVerdict(modelOf(QWEN, changes), arch, true);

describe("vLLM on CPUs", () => {
  it("has nothing to say of plain weights", () => {
    for (const arch of ["amd64", "arm64"] as const) {
      expect(verdict({}, arch)).toEqual({ refusals: [], notes: [] });
    }
  });

  it("streams no weights and does not sleep: each with what to write instead", () => {
    const { refusals } = verdict({ loading: "stream", engineSettings: { sleepMode: true } });
    expect(refusals).toEqual([
      {
        reason: "vLLM's image for CPUs has no streamer of weights",
        remedy: "write models.qwen2-5-0-5b-instruct.vllm.loading: copy",
      },
      { reason: "vLLM can sleep on GPUs alone", remedy: "remove models.qwen2-5-0-5b-instruct.vllm.sleepMode" },
    ]);
  });

  it("moves nothing from GPUs that are not there", () => {
    const args = { "kv-offloading-size": 4, "cpu-offload-gb": 2, "mm-processor-cache-gb": 2 };
    expect(verdict({ args }).refusals.map(({ remedy }) => remedy)).toEqual([
      "remove models.qwen2-5-0-5b-instruct.args.kv-offloading-size",
      "remove models.qwen2-5-0-5b-instruct.args.cpu-offload-gb",
    ]);
  });

  it("says that a share of GPU memory means nothing there", () => {
    expect(verdict({ gpuMemoryUtilization: 0.9 }).notes).toEqual([
      "models.qwen2-5-0-5b-instruct.vllm.gpuMemoryUtilization means nothing on CPUs: the KV cache gets what the plan counts for it",
    ]);
  });

  it("makes FP8 of plain weights when it loads them, and of blocks with AMX alone", () => {
    expect(verdict({ quantization: "fp8" })).toEqual({ refusals: [], notes: [] });
    expect(verdict({ quantization: "fp8_per_block" }).notes).toEqual([
      expect.stringContaining("needs a processor with AMX"),
    ]);
    expect(verdict({ quantization: "fp8_per_block" }, "arm64").refusals).toEqual([
      {
        reason: "vLLM has no kernel for fp8-block weights on CPUs of arm64",
        remedy: "remove quantization or write another, or take a pool with GPUs",
      },
    ]);
  });

  it("caches 8 bits on x86 with AVX-512, and not on Arm", () => {
    expect(verdict({ kvCacheDtype: "fp8" }).notes).toEqual([expect.stringContaining("AVX-512")]);
    expect(verdict({ kvCacheDtype: "fp8" }, "arm64").refusals).toEqual([
      {
        reason: "vLLM has no kernel for the fp8 KV cache on CPUs of arm64",
        remedy: "write models.qwen2-5-0-5b-instruct.vllm.kvCacheDtype: bfloat16",
      },
    ]);
  });

  it("knows the formats of the release alone whose tables were read", () => {
    const model = modelOf(QWEN, { quantization: "fp8_per_block", engineVersion: "0.30.0" });
    expect(vllmCpuVerdict(model, "arm64", false)).toEqual({ refusals: [], notes: [] });
  });

  it("does not know whether a release starts that nobody read", () => {
    const { refusals, unread } = vllmCpuVerdict(modelOf(QWEN, { engineVersion: "0.99.0" }), "amd64", false);
    expect(refusals).toEqual([]);
    expect(unread?.reason).toContain("what vLLM 0.99.0 asks of CPUs was not read");
  });

  it("refuses gpt-oss's experts on Arm, and says on x86 what they need", () => {
    const experts = modelOf("gpt-oss-20b");
    expect(vllmCpuVerdict(experts, "arm64", true).refusals.map(({ remedy }) => remedy)).toEqual([
      "take a pool with GPUs",
    ]);
    expect(vllmCpuVerdict(experts, "amd64", true)).toEqual({
      refusals: [],
      notes: [expect.stringMatching(/mxfp4 weights needs a processor with AMX/)],
    });
  });
});
