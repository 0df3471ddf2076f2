/** Clients ask an imported model for the name that the original answers to, or the report says which one it has. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Imported } from "../../../cli/import/import-files";
import { importText, modelsOf } from "./imported";

interface Written {
  readonly servedName?: string;
  readonly aliases?: readonly string[];
  readonly adapters?: Readonly<Record<string, string>>;
}

function models(result: Imported): Readonly<Record<string, Written>> {
  return modelsOf(result);
}

const names = async (text: string) => Object.values(models(await importText(text))).map((model) => model.servedName);

const kubeai = (name: string, more = "") => `
apiVersion: kubeai.org/v1
kind: Model
metadata: { name: ${name} }
spec: { url: hf://Qwen/Qwen3-8B, engine: VLLM, resourceProfile: nvidia-gpu-l4:1, minReplicas: 1, maxReplicas: 1${more} }
`;

const compose = (service: string) => `services:\n  chat: ${service}\n`;

const vllm = (command: string, image = "vllm/vllm-openai:v0.33.0") =>
  compose(`{ image: "${image}", command: ${command}, gpus: all }`);

const kserve = (predictor: string) => `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: { name: chat.v1 }
spec: { predictor: { ${predictor} } }
`;

describe("the name of a model", () => {
  it.each([
    ["vLLM without a name: the value of --model", vllm("--model Qwen/Qwen3-8B"), "Qwen/Qwen3-8B"],
    ["vllm serve", vllm("vllm serve Qwen/Qwen3-8B"), "Qwen/Qwen3-8B"],
    ["the flag, before --model", vllm("--served-model-name A.b --model Qwen/Qwen3-8B"), "A.b"],
    ["the flag, behind it", vllm("--model Qwen/Qwen3-8B --served-model-name A.b"), "A.b"],
    ["TGI's", vllm("--model-id Qwen/Qwen3-8B", "ghcr.io/huggingface/text-generation-inference:3.0.1"), "Qwen/Qwen3-8B"],
    [
      "Ollama's tag",
      compose("{ image: ollama/ollama, environment: { OLLAMA_MODEL: 'llama3.1:8b' }, gpus: all }"),
      "llama3.1:8b",
    ],
    [
      "NVIDIA NIM's",
      JSON.stringify({
        recipe_mode: "service",
        deployment_name: "nim",
        recipe_image_uri: "nvcr.io/nim/meta/llama-3.2-3b-instruct:1.8.5",
        recipe_node_shape: "VM.GPU.A10.1",
      }),
      "meta/llama-3.2-3b-instruct",
    ],
    [
      "a recipe's tag",
      JSON.stringify({
        recipe_mode: "service",
        deployment_name: "llm",
        recipe_id: "cpu_inference",
        recipe_image_uri: "ollama/ollama:0.24.0",
        recipe_node_shape: "VM.Standard.E4.Flex",
        recipe_container_env: [{ key: "MODEL_NAME", value: "llama3.1:8b" }],
      }),
      "llama3.1:8b",
    ],
    ["values of Ollama", "ollama: { models: { pull: ['llama3.1:8b'] } }", "llama3.1:8b"],
    ["KubeAI", kubeai("qwen-3.0-l4"), "qwen-3.0-l4"],
    ["KubeAI with a flag", kubeai("qwen-3.0-l4", ", args: [--served-model-name=own]"), "own"],
    [
      "values of production-stack",
      "servingEngineSpec: { modelSpec: [{ name: a, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, requestGPU: 1 }] }",
      "Qwen/Qwen3-8B",
    ],
    [
      "KServe's own server",
      kserve("model: { modelFormat: { name: huggingface }, storageUri: hf://Qwen/Qwen3-8B }"),
      "chat.v1",
    ],
    [
      "KServe's server with a name",
      kserve("model: { modelFormat: { name: huggingface }, args: [--model_id=Qwen/Qwen3-8B, --model_name=own] }"),
      "own",
    ],
    [
      "a container of KServe",
      kserve(
        "containers: [{ name: kserve-container, image: vllm/vllm-openai:v0.33.0, args: [--model, Qwen/Qwen3-8B], resources: { limits: { nvidia.com/gpu: '1' } } }]",
      ),
      "Qwen/Qwen3-8B",
    ],
    [
      "an LLMInferenceService without a name",
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: { name: q.1 }\nspec: { model: { uri: hf://Qwen/Qwen3-8B }, parallelism: { tensor: 1 } }",
      "q.1",
    ],
    [
      "a Workspace of KAITO",
      "apiVersion: kaito.sh/v1beta1\nkind: Workspace\nmetadata: { name: w }\nresource: { instanceType: Standard_NC24ads_A100_v4 }\ninference: { preset: { name: meta-llama/Llama-3.1-8B-Instruct } }",
      "llama-3.1-8b-instruct",
    ],
    [
      "an InferenceSet of KAITO",
      "apiVersion: kaito.sh/v1beta1\nkind: InferenceSet\nmetadata: { name: my.set }\nspec: { template: { resource: { instanceType: Standard_NC24ads_A100_v4 }, inference: { preset: { name: llama-3.1-8b-instruct } } } }",
      "my.set",
    ],
  ])("is %s", async (_, text, name) => {
    expect(await names(text)).toEqual([name]);
  });

  it("is whatever --model says, letter by letter", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[A-Za-z0-9]{1,10}\/[A-Za-z0-9]{1,8}(\.[A-Za-z0-9]{1,3})?$/),
        async (repository) => {
          expect(await names(vllm(`["--model", "${repository}"]`))).toEqual([repository]);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("has the flag's others as aliases", async () => {
    const [model] = Object.values(models(await importText(vllm("--model Qwen/Qwen3-8B --served-model-name a b c"))));
    expect(model).toMatchObject({ servedName: "a", aliases: ["b", "c"] });
  });

  it("belongs to the first of several, and the report says so of the others", async () => {
    const spec = (name: string) =>
      `{ name: ${name}, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, requestGPU: 1, vllmConfig: { maxModelLen: 4096 } }`;
    const result = await importText(`servingEngineSpec: { modelSpec: [${spec("a")}, ${spec("b")}] }`);
    expect(models(result).a?.servedName).toBe("Qwen/Qwen3-8B");
    expect(models(result).b).not.toHaveProperty("servedName");
    expect(result.entries.find(({ to }) => to === "models.*.servedName")).toMatchObject({
      kind: "changed",
      path: "servingEngineSpec.modelSpec[1].modelURL",
    });
  });

  it("of Ollama with a host is one of ours, and the report says so", async () => {
    const result = await importText("ollama: { models: { pull: ['hf.co/acme/Qwen3:Q4'] } }");
    expect(Object.values(models(result))[0]).not.toHaveProperty("servedName");
    expect(result.entries.find(({ to }) => to === "models.*.servedName")?.why).toContain("hf.co/acme/Qwen3:Q4");
  });
});

describe("the name of an adapter", () => {
  const entry = ({ entries }: Imported) =>
    entries.filter(({ to }) => to === "models.*.adapters").map(({ kind, why }) => [kind, why?.split(":")[0]]);

  it.each([
    [
      "KubeAI's, behind the model's",
      kubeai("m", ", adapters: [{ name: sql, url: 'hf://org/x' }]"),
      "sql",
      "clients ask for sql in place of m_sql",
    ],
    [
      "that of --lora-modules",
      vllm("--model Qwen/Qwen3-8B --enable-lora --lora-modules SQL_A=org/x"),
      "sql-a",
      "clients ask for sql-a in place of SQL_A",
    ],
    [
      "adapterName of production-stack",
      "servingEngineSpec: { modelSpec: [{ name: a, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, requestGPU: 1 }] }\nloraAdapters: [{ name: x, baseModel: a, adapterSource: { type: huggingface, repository: org/x, adapterName: Sql } }]",
      "sql",
      "clients ask for sql in place of Sql",
    ],
    [
      "an LLMInferenceService's",
      "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: { name: q }\nspec: { model: { uri: hf://Qwen/Qwen3-8B, lora: { adapters: [{ name: SQL_Lora, uri: hf://org/x }] } }, parallelism: { tensor: 1 } }",
      "sql-lora",
      "clients ask for sql-lora in place of SQL_Lora",
    ],
  ])("is %s, or the report has both", async (_, text, name, why) => {
    const result = await importText(text);
    expect(Object.values(models(result))[0]?.adapters).toEqual({ [name]: "hf://org/x" });
    expect(entry(result).filter(([kind]) => kind === "changed")).toEqual([["changed", why]]);
  });

  it("is taken once", async () => {
    const result = await importText(
      vllm("--model Qwen/Qwen3-8B --enable-lora --lora-modules a_b=org/x --lora-modules A.B=org/y"),
    );
    expect(Object.values(models(result))[0]?.adapters).toEqual({ "a-b": "hf://org/x" });
    expect(result.entries.some(({ kind, why }) => kind === "notMapped" && why?.includes("a-b"))).toBe(true);
  });
});
