/** Models and layouts of the examples that the projects publish: they plan without a request to a hub. */
import { describe, expect, it } from "vitest";
import { importText, kindsAt, modelsOf } from "./imported";
import { config, stack } from "./small-files";

const recipe = (more: Record<string, unknown>) =>
  JSON.stringify({
    recipe_id: "example",
    recipe_mode: "service",
    deployment_name: "chat",
    recipe_replica_count: 1,
    recipe_node_pool_size: 1,
    ...more,
  });

describe("models of published examples", () => {
  it.each([
    "facebook/opt-125m",
    "mistralai/Mistral-7B-Instruct-v0.2",
    "Qwen/Qwen2.5-14B-Instruct",
    "HuggingFaceTB/SmolLM2-135M-Instruct",
    "ibm-granite/granite-3.0-3b-a800m-instruct",
    "distilbert/distilgpt2",
    "NousResearch/Meta-Llama-3-8B-Instruct",
  ])("%s is of the catalogue", async (model) => {
    const { settled } = await importText(stack({}, model));
    expect(settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
  });

  it("a folder that ends in the repository of a model", async () => {
    const { settled } = await importText(
      recipe({
        recipe_image_uri: "docker.io/rocm/vllm-dev:llama4-20250514",
        recipe_node_shape: "BM.GPU.MI300X.8",
        recipe_amd_gpu_count: 8,
        recipe_container_command_args: [
          "--model=/models/meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
          "--tensor-parallel-size=8",
          "--max-model-len=36000",
        ],
      }),
    );
    expect(settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
  });

  it("a tag of Ollama without a size in the catalogue is the catalogue's model", async () => {
    const result = await importText(
      recipe({
        recipe_id: "cpu_inference",
        recipe_image_uri: "ollama/ollama:0.24.0",
        recipe_node_shape: "BM.Standard.E5.192",
        recipe_container_env: [{ key: "MODEL_NAME", value: "gemma" }],
      }),
    );
    expect(modelsOf(result).chat).toMatchObject({ model: "gemma-7b-it", source: "ollama://gemma" });
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
  });
});

describe("an image that the plan refuses", () => {
  it("gives way together with the variables and flags that its release alone reads", async () => {
    const result = await importText(
      recipe({
        recipe_image_uri: "public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.11.2",
        recipe_node_shape: "BM.Standard3.64",
        recipe_container_env: [
          { key: "VLLM_RPC_TIMEOUT", value: "100000" },
          { key: "OMP_NUM_THREADS", value: "8" },
        ],
        recipe_container_command_args: ["--model", "Qwen/Qwen3-8B", "--max-model-len", "4096"],
      }),
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(modelsOf(result).chat?.env).toEqual({ OMP_NUM_THREADS: "8" });
    expect(kindsAt(result, "recipe_container_env[0]")).toEqual(["notMapped"]);
    expect(kindsAt(result, "recipe_image_uri")).toEqual(["notMapped"]);
  });

  it("stays, and so does all that goes with it, where nothing else fits either", async () => {
    const image = { repository: "corp/vllm-build", tag: "vllm-0.11.2" };
    const result = await importText(
      stack(
        { ...image, ...config({}), env: [{ name: "VLLM_RPC_TIMEOUT", value: "100000" }] },
        "meta-llama/Llama-3.1-405B-Instruct",
      ),
      { card: "l4", gpusPerNode: 1 },
    );
    expect(modelsOf(result).a).toMatchObject({ engineVersion: "0.11.2", env: { VLLM_RPC_TIMEOUT: "100000" } });
    expect(kindsAt(result, "servingEngineSpec.modelSpec[0].env[0]")).toEqual(["mapped"]);
  });
});

describe("weights in host memory", () => {
  it.each([
    ["--cpu-offload-gb=20", "notMapped"],
    ["--max-num-seqs=4", "wrong"],
  ])("%s: the account of a model that is too large is %s", async (flag, kind) => {
    const result = await importText(
      stack(
        {
          requestGPU: 1,
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-L4"] }] },
          ],
          ...config({ extraArgs: [flag] }),
        },
        "Qwen/Qwen2.5-32B-Instruct",
      ),
    );
    expect(kindsAt(result, "servingEngineSpec.modelSpec[0]")).toContain(kind);
  });
});
