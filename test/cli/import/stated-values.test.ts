import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Imported } from "../../../cli/import/import-files";
import { importText, kindsAt, modelsOf } from "./imported";
import { command, compose, config, kserve, stack } from "./small-files";

function first(result: Imported): Record<string, unknown> {
  return Object.values(modelsOf(result))[0] ?? {};
}

function reasonsAt({ entries }: Imported, path: string): string {
  return entries.flatMap((entry) => (entry.path === path ? [entry.why ?? ""] : [])).join("\n");
}

describe("the length that Ollama takes by itself", () => {
  const ollama = async (image: string, card: string, tag = "llama3.1:8b") => {
    const service = { image, command: `ollama run ${tag}`, gpus: "all" };
    return first(await importText(stringify({ services: { a: service } }), { card })).contextTokens;
  };

  it.each([
    ["ollama/ollama:0.32.15", "l4", 4096],
    ["ollama/ollama:0.32.15", "l40s", 32_768],
    ["ollama/ollama:0.32.15", "h100-sxm", 131_072],
    ["ollama/ollama:0.9.2", "h100-sxm", 4096],
  ])("%s on %s: %i", async (image, card, tokens) => {
    expect(await ollama(image, card)).toBe(tokens);
  });
});

describe("quantization as vLLM loads a checkpoint", () => {
  it.each(["ptpc_fp8", "fp8_per_tensor", "fp8_per_block", "fp8_per_channel"])(
    "%s is planned as fp8",
    async (method) => {
      const result = await importText(command(`--quantization ${method}`));
      expect(first(result)).toMatchObject({ quantization: "fp8" });
      expect(result.entries.find(({ to }) => to === "models.*.quantization")).toMatchObject({ kind: "changed" });
    },
  );

  it.each(["experts_int8", "online", "int8_per_channel_weight_only", "nvfp4_per_token", "mxfp8"])(
    "%s is lost",
    async (method) => {
      const result = await importText(command(`--quantization ${method}`));
      expect(reasonsAt(result, "services.a.command")).toContain(`"${method}" quantizes the checkpoint`);
    },
  );

  it("is none of awq, which the checkpoint has", async () => {
    expect(reasonsAt(await importText(command("--quantization awq")), "services.a.command")).toContain("own format");
  });
});

describe("what is wrong in the original", () => {
  const wrong = ({ entries }: Imported) => entries.filter(({ kind }) => kind === "wrong").map(({ why }) => why);
  const devices = (count: number) => ({
    deploy: { resources: { reservations: { devices: [{ capabilities: ["gpu"], count }] } } },
    gpus: undefined,
  });

  it.each([
    ["--data-parallel-size 4", 4, 0],
    ["--pipeline-parallel-size 2", 2, 0],
    ["--tensor-parallel-size 2 --data-parallel-size 2", 4, 0],
    ["--tensor-parallel-size 2", 4, 1],
    ["", 2, 1],
  ])("%j with %i GPUs leaves GPUs idle: %i", async (flags, count, idle) => {
    const text = compose({ command: `--model Qwen/Qwen3-8B --max-model-len 4096 ${flags}`, ...devices(count) });
    expect(wrong(await importText(text))).toHaveLength(idle);
  });

  it("is nothing that the import chose: a machine, an image or a length", async () => {
    const tgi = await importText(
      stringify({
        services: {
          a: {
            image: "ghcr.io/huggingface/text-generation-inference:3.3.4",
            command: "--model-id meta-llama/Llama-3.1-405B-Instruct --max-total-tokens 8192",
            gpus: "all",
          },
        },
      }),
    );
    expect(wrong(tgi)).toEqual([]);
    expect(reasonsAt(tgi, "services.a")).toContain("the plan refuses it");
    const long = await importText(compose({ command: "--model meta-llama/Llama-3.1-8B-Instruct" }), { card: "l4" });
    expect(wrong(long)).toEqual([]);
    expect(reasonsAt(long, "services.a")).toMatch(/131072 tokens do not fit/);
    expect(long.settled?.text).toContain("as much of the original's 131072 tokens as fits");
  });

  it("is a model that does not fit on the machine that the file names", async () => {
    const result = await importText(
      stack(
        { ...config({}), nodeSelectorTerms: [{ matchExpressions: [term("nvidia.com/gpu.product", "NVIDIA-L4")] }] },
        "meta-llama/Llama-3.3-70B-Instruct",
      ),
    );
    expect(wrong(result)).toEqual([expect.stringContaining("does not run as written")]);
  });
});

function term(key: string, ...values: string[]) {
  return { key, operator: "In", values };
}

describe("a card that a file names", () => {
  const cards = (...values: string[]) =>
    importText(
      stack({ ...config({}), nodeSelectorTerms: [{ matchExpressions: [term("nvidia.com/gpu.product", ...values)] }] }),
    );
  const at = "servingEngineSpec.modelSpec[0].nodeSelectorTerms[0].matchExpressions[0]";

  it("and that the catalogue lacks is no label of another one", async () => {
    const result = await cards("Tesla-V100-SXM2-16GB");
    expect(kindsAt(result, at)).toEqual(["notMapped"]);
    expect(result.settled?.text).not.toContain("V100");
    expect(result.settled?.text).toContain("card: l4");
  });

  it("among others is the first that the catalogue has", async () => {
    const result = await cards("Tesla-V100-SXM2-16GB", "NVIDIA-H100-80GB-HBM3", "NVIDIA-L40S");
    expect(kindsAt(result, at)).toEqual(["changed"]);
    expect(result.settled?.text).toContain("card: h100-sxm");
  });

  it("in a second term is one of several", async () => {
    const terms = ["NVIDIA-A40", "NVIDIA-L4"].map((card) => ({
      matchExpressions: [term("nvidia.com/gpu.product", card)],
    }));
    const result = await importText(stack({ ...config({}), nodeSelectorTerms: terms }));
    expect(result.settled?.text).toContain("card: a40");
    expect(kindsAt(result, "servingEngineSpec.modelSpec[0].nodeSelectorTerms[1]")).toEqual(["changed"]);
  });
});

describe("options of the release that the file runs", () => {
  it("are kept where that release has them", async () => {
    const result = await importText(
      stringify({
        services: {
          a: {
            image: "vllm/vllm-openai:v0.8.5",
            command: "--model meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096 --num-scheduler-steps=8",
            environment: { VLLM_ATTENTION_BACKEND: "XFORMERS" },
            gpus: "all",
          },
        },
      }),
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(first(result)).toMatchObject({
      args: { "num-scheduler-steps": "8" },
      env: { VLLM_ATTENTION_BACKEND: "XFORMERS" },
    });
  });

  it("are those of the platform's release where the file's is refused", async () => {
    const result = await importText(
      stringify({
        services: {
          a: {
            image: "ghcr.io/huggingface/text-generation-inference:3.3.4",
            command: "--model-id meta-llama/Llama-3.1-8B-Instruct --max-total-tokens 8192",
            gpus: "all",
          },
        },
      }),
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(first(result)).not.toHaveProperty("engineVersion");
    expect(kindsAt(result, "services.a.image")).toEqual(["changed"]);
  });

  it("are found by the beginning of their name", async () => {
    expect(first(await importText(command("--max-num-batched-token=2048")))).toMatchObject({
      args: { "max-num-batched-tokens": 2048 },
    });
  });

  it("are the original's parsers where the platform knows none of the family", async () => {
    const result = await importText(
      compose({
        command: "--model meta-llama/Llama-3.1-8B-Instruct --max-model-len 4096 --reasoning-parser deepseek_r1",
      }),
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(first(result)).toMatchObject({ vllm: { reasoning: true }, args: { "reasoning-parser": "deepseek_r1" } });
  });
});

describe("command lines", () => {
  const container = (args: readonly string[], env: readonly unknown[] = []) =>
    kserve({
      containers: [
        {
          name: "kserve-container",
          image: "vllm/vllm-openai:v0.33.0",
          command: ["/bin/sh", "-c"],
          args,
          env,
          resources: { limits: { "nvidia.com/gpu": 2 } },
        },
      ],
    });

  it("end where the shell ends them", async () => {
    const script =
      "pip install x && vllm serve Qwen/Qwen3-8B --tensor-parallel-size $TP --max-model-len 4096 2>&1 | tee --append /log; rm --force /";
    const result = await importText(container([script], [{ name: "TP", value: "2" }]));
    expect(first(result)).toMatchObject({ model: "qwen3-8b", contextTokens: 4096, vllm: { tensorParallel: 2 } });
    expect(result.entries.map(({ why = "" }) => why).join()).not.toMatch(/append|force|no flag/);
    expect(kindsAt(result, "spec.predictor.containers[0].env[0]")).toEqual(["changed"]);
  });

  it("in one variable may join names and values by =", async () => {
    const result = await importText(
      stack(config({ extraArgs: ["--max-num-seqs=16 --kv-cache-dtype=fp8 --enable-prefix-caching"] })),
    );
    expect(first(result)).toMatchObject({ vllm: { maxNumSeqs: 16, kvCacheDtype: "fp8" } });
  });

  it("with variables of elsewhere say so, and take what the text has for them", async () => {
    const result = await importText(
      compose({
        command:
          "--model Qwen/Qwen3-8B --max-model-len $${LEN} --tensor-parallel-size $${TP:?set it} --max-num-seqs $${SEQS-16} --gpu-memory-utilization $${MEM:-0.85}".replaceAll(
            "$$",
            "$",
          ),
      }),
    );
    const why = reasonsAt(result, "services.a.command");
    expect(why).toMatch(/--max-model-len is set outside/);
    expect(why).toMatch(/--tensor-parallel-size is set outside/);
    expect(why).not.toContain("model's own length");
    expect(first(result)).toMatchObject({ vllm: { maxNumSeqs: 16, gpuMemoryUtilization: 0.85 } });
  });

  it("of a chart's template are no facts", async () => {
    const result = await importText(
      stringify({
        apiVersion: "serving.kserve.io/v1alpha1",
        kind: "LLMInferenceService",
        metadata: { name: "a" },
        spec: { model: { uri: "{{ .Values.uri }}" } },
      }),
    );
    expect(kindsAt(result, "spec.model.uri")).toEqual(["notMapped"]);
  });
});
