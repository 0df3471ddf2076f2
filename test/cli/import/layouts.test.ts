/** GPUs and layouts of imported models are those that the original's platform gives them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Imported } from "../../../cli/import/import-files";
import { kaitoLayout } from "../../../cli/import/kaito-layout";
import { importText, kindsAt } from "./imported";

function draftOf({ settled }: Imported) {
  const [model] = settled?.models ?? [];
  if (model === undefined) {
    throw new Error("no model");
  }
  return model.draft;
}

describe("a service of Compose", () => {
  const service = (fields: string, image = "vllm/vllm-openai:v0.33.0") =>
    importText(
      `services:\n  chat: { image: "${image}", command: --model Qwen/Qwen3-8B --max-model-len 4096, ${fields} }`,
    );
  const reserved = (devices: string) => `deploy: { resources: { reservations: { devices: ${devices} } } }`;

  it.each([
    ["a list of gpus", "gpus: [{ driver: nvidia, count: 2 }]", "nvidia", 2],
    ["a list of gpus without driver", "gpus: [{ count: '2' }]", "nvidia", 2],
    ["several entries", "gpus: [{ count: 1 }, { device_ids: ['3', '4'] }]", "nvidia", 3],
    ["identities", "gpus: [{ device_ids: ['0', '1'] }]", "nvidia", 2],
    ["all", "gpus: all", "nvidia", undefined],
    ["all of a list", "gpus: [{ count: all }]", "nvidia", undefined],
    ["AMD's driver", "gpus: [{ driver: amd, count: 2 }]", "amd", 2],
    ["a reservation", reserved("[{ capabilities: [gpu], count: 2 }]"), "nvidia", 2],
    [
      "a reservation behind one of something else",
      reserved("[{ capabilities: [tpu] }, { capabilities: [gpu], count: 2 }]"),
      "nvidia",
      2,
    ],
    ["names of devices", "devices: ['nvidia.com/gpu=0', 'nvidia.com/gpu=1']", "nvidia", 2],
    ["AMD's files", "devices: [/dev/kfd, /dev/dri]", "amd", undefined],
    ["a runtime", "runtime: nvidia", "nvidia", undefined],
    ["nothing, with an image that needs one", "restart: always", "nvidia", 1],
  ])("has GPUs by %s", async (_, fields, vendor, gpus) => {
    const { machine, original } = draftOf(await service(fields));
    expect([machine.vendor, original.gpus]).toEqual([vendor, gpus]);
  });

  it("has AMD's where its image is for them", async () => {
    const { machine } = draftOf(await service("gpus: [{ count: 1 }]", "vllm/vllm-openai-rocm:v0.33.0"));
    expect(machine.vendor).toBe("amd");
  });

  it("runs on processors where nothing of it is for GPUs", async () => {
    expect(draftOf(await service("restart: always", "vllm/vllm-openai-cpu:v0.33.0")).machine.vendor).toBe("cpu");
    const ollama = await importText(
      "services: { o: { image: ollama/ollama, environment: { OLLAMA_MODEL: 'qwen3:8b' } } }",
    );
    expect(draftOf(ollama).machine.vendor).toBe("cpu");
  });

  it("never becomes one of processors while a field gives it GPUs, and each such field is answered", async () => {
    const device = fc.record(
      {
        driver: fc.constantFrom("nvidia", "amd"),
        count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom("all", "2")),
        device_ids: fc.array(fc.constantFrom("0", "1", "GPU-1"), { minLength: 1, maxLength: 3 }),
        capabilities: fc.constant(["gpu"]),
      },
      { requiredKeys: ["capabilities"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(device, { minLength: 1, maxLength: 3 }), fc.boolean(), async (devices, isReserved) => {
        const list = JSON.stringify(devices);
        const result = await service(isReserved ? reserved(list) : `gpus: ${list}`);
        expect(draftOf(result).machine.vendor).not.toBe("cpu");
        const at = isReserved ? "services.chat.deploy.resources.reservations.devices" : "services.chat.gpus";
        devices.forEach((_, index) => {
          expect(["mapped", "changed"]).toContain(kindsAt(result, `${at}[${index}]`)[0]);
        });
      }),
      { numRuns: 20 },
    );
  });

  it("is read with the file that is put on top of it", async () => {
    const { documentsOf } = await import("../../../cli/import/read-documents");
    const { importDocuments } = await import("../../../cli/import/import-files");
    const { repositoryRoot } = await import("../../../names/repository-root");
    const documents = [
      ...documentsOf(
        "a.yaml",
        "services: { chat: { image: 'vllm/vllm-openai:v0.33.0', command: --model Qwen/Qwen3-8B } }",
      ),
      ...documentsOf("b.yaml", "services: { chat: { command: --model Qwen/Qwen3-8B -tp 2, gpus: [{ count: 2 }] } }"),
    ];
    const result = await importDocuments("imported", documents, { create: false }, repositoryRoot());
    expect(result.settled?.models).toHaveLength(1);
    expect(draftOf(result)).toMatchObject({ original: { gpus: 2, tensorParallel: 2 } });
    expect(result.entries.find(({ path }) => path === "services.chat.gpus[0]")?.file).toBe("b.yaml");
  });
});

describe("KAITO", () => {
  const workspace = (fields: string, preset = "llama-3.1-8b-instruct", more = "") =>
    importText(
      `apiVersion: kaito.sh/v1beta1\nkind: Workspace\nmetadata: { name: w${more} }\nresource: { ${fields} }\ninference: { preset: { name: ${preset} } }`,
    );

  // Figures by hand from KAITO's estimator: 14.96 and 131.42 GiB of weights, 0.84 of the memory, 2.3 GiB of overhead.
  it.each([
    ["llama-3.1-8b-instruct", "count: 2, instanceType: Standard_NC24ads_A100_v4", [1, 1, 1]],
    ["llama-3.1-8b-instruct", "instanceType: Standard_NC96ads_A100_v4", [1, 1, 4]],
    ["llama-3.1-8b-instruct", "instanceType: Standard_NV72ads_A10_v5", [2, 1, 1]],
    ["llama-3.3-70b-instruct", "instanceType: Standard_NC24ads_A100_v4", [1, 3, 1]],
    ["llama-3.3-70b-instruct", "count: 4, instanceType: Standard_NC96ads_A100_v4", [4, 1, 1]],
  ])("lays %s out by its size: %s", async (preset, fields, layout) => {
    const result = await workspace(fields, preset);
    const { original, replicas } = draftOf(result);
    expect([original.tensorParallel, original.pipelineParallel, replicas.min]).toEqual(layout);
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(result.entries.filter(({ kind }) => kind === "wrong")).toEqual([]);
  });

  it("multiplies the replicas of a set by the copies in a pod", async () => {
    const result = await importText(
      "apiVersion: kaito.sh/v1beta1\nkind: InferenceSet\nmetadata: { name: s, annotations: { scaledobject.kaito.sh/max-replicas: '3' } }\nspec: { replicas: 2, template: { resource: { instanceType: Standard_NC96ads_A100_v4 }, inference: { preset: { name: llama-3.1-8b-instruct } } } }",
    );
    expect(draftOf(result).replicas).toEqual({ min: 8, max: 12 });
  });

  it("says where the number of nodes is another one than was asked for", async () => {
    const result = await workspace("count: 2, instanceType: Standard_NC24ads_A100_v4");
    expect(kindsAt(result, "resource.count")).toEqual(["changed"]);
  });

  it("keeps GPU memory free as KAITO does", async () => {
    expect(draftOf(await workspace("instanceType: Standard_NC24ads_A100_v4")).block.gpuMemoryUtilization).toBe(0.84);
    expect(draftOf(await workspace("instanceType: Standard_NV72ads_A10_v5")).block.gpuMemoryUtilization).toBe(0.82);
  });

  it("can run another server, and the report says so", async () => {
    const result = await workspace(
      "instanceType: Standard_NC24ads_A100_v4",
      "llama-3.1-8b-instruct",
      ", annotations: { kaito.sh/runtime: transformers }",
    );
    expect(kindsAt(result, "metadata.annotations.kaito.sh/runtime")).toEqual(["changed"]);
  });

  it("takes more nodes for longer contexts and never fewer than the weights need", () => {
    const tokens = fc.integer({ min: 1, max: 131_072 });
    fc.assert(
      fc.property(tokens, tokens, fc.constantFrom(1, 2, 4, 8), (a, b, gpus) => {
        const nodes = (length: number) =>
          kaitoLayout("meta-llama/Llama-3.3-70B-Instruct", { card: "a100-80gb" }, gpus, length)?.nodes ?? Infinity;
        expect(nodes(Math.max(a, b))).toBeGreaterThanOrEqual(nodes(Math.min(a, b)));
        expect(nodes(a) * gpus).toBeGreaterThanOrEqual(2);
      }),
    );
  });
});

describe("production-stack", () => {
  const values = (spec: string, more = "") =>
    importText(
      `servingEngineSpec: { ${more} modelSpec: [{ name: a, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, ${spec} }] }`,
    );
  const config = (fields: string) => `vllmConfig: { maxModelLen: 4096, enablePrefixCaching: true, ${fields} }`;
  const model = "servingEngineSpec.modelSpec[0]";

  it.each([
    ["resources in place of the other fields", "resources: { limits: { amd.com/gpu: 8 } }, requestGPU: 1", "amd", 8],
    ["requestGPU", "requestGPU: 2", "nvidia", 2],
    ["parts of a GPU", "requestGPUMem: '3000'", "nvidia", 1],
    ["the runtime class alone", "requestCPU: 4", "nvidia", undefined],
  ])("has GPUs by %s", async (_, fields, vendor, gpus) => {
    const { machine, original } = draftOf(await values(fields));
    expect([machine.vendor, original.gpus]).toEqual([vendor, gpus]);
  });

  it.each([
    ["requestGPU: 0", ""],
    ["requestCPU: 4, runtimeClassName: ''", ""],
    ["requestCPU: 4", "runtimeClassName: '',"],
    ["resources: { limits: { cpu: 4 } }, runtimeClassName: ''", ""],
  ])("runs on processors with %s %s", async (fields, more) => {
    expect(draftOf(await values(fields, more)).machine.vendor).toBe("cpu");
  });

  it("has slices by their resource", async () => {
    const result = await values("requestGPU: 1, requestGPUType: nvidia.com/mig-3g.40gb");
    expect(draftOf(result).machine.mig).toBe("all-3g.40gb");
    expect(result.entries.find(({ path }) => path === `${model}.requestGPUType`)?.to).toBe("pools.*.sharing.mig");
  });

  it("has whole cards where its card has no such slices", async () => {
    const selector = "nodeSelector: { nvidia.com/gpu.product: NVIDIA-L4 }";
    const result = await values(`requestGPU: 1, requestGPUType: nvidia.com/mig-3g.40gb, ${selector}`);
    expect(result.settled?.decision.kind).toBe("planned");
    expect(kindsAt(result, model)).toContain("wrong");
  });

  it("passes pipelineParallelSize on with Ray alone", async () => {
    const without = await values(`requestGPU: 1, ${config("pipelineParallelSize: 2")}`);
    expect(draftOf(without).block).not.toHaveProperty("pipelineParallel");
    expect(kindsAt(without, `${model}.vllmConfig.pipelineParallelSize`)).toEqual(["wrong"]);
    const ray = await values(`requestGPU: 1, raySpec: { enabled: true }, ${config("pipelineParallelSize: 2")}`);
    expect(draftOf(ray).block.pipelineParallel).toBe(2);
  });

  it("says that tensor parallelism needs more GPUs than a pod has", async () => {
    const result = await values(`requestGPU: 1, ${config("tensorParallelSize: 4")}`);
    expect(kindsAt(result, `${model}.requestGPU`)).toContain("wrong");
  });

  it("gives its variables to every model", async () => {
    const result = await importText(`
servingEngineSpec:
  env: [{ name: VLLM_LOGGING_LEVEL, value: DEBUG }]
  modelSpec:
    - { name: a, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, requestGPU: 1, env: [{ name: VLLM_LOGGING_LEVEL, value: INFO }] }
    - { name: b, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: Qwen/Qwen3-8B, requestGPU: 1 }
`);
    expect(result.settled?.models.map(({ draft }) => draft.env)).toEqual([
      { VLLM_LOGGING_LEVEL: "INFO" },
      { VLLM_LOGGING_LEVEL: "DEBUG" },
    ]);
    expect(kindsAt(result, "servingEngineSpec.env[0]")).toEqual(["mapped"]);
  });

  it("turns prefix caching off where nothing turns it on, and the report says so", async () => {
    const said = ({ entries }: Imported) => entries.some(({ why }) => why?.includes("prefix caching"));
    expect(said(await values("requestGPU: 1, vllmConfig: { maxModelLen: 4096 }"))).toBe(true);
    expect(said(await values("requestGPU: 1"))).toBe(false);
    expect(said(await values(`requestGPU: 1, ${config("dtype: auto")}`))).toBe(false);
    expect(said(await values("requestGPU: 1, vllmConfig: { extraArgs: [--enable-prefix-caching] }"))).toBe(false);
    expect(said(await values("requestGPU: 1, raySpec: { enabled: true }, vllmConfig: { maxModelLen: 4096 }"))).toBe(
      false,
    );
  });
});

describe("KServe", () => {
  const llm = (spec: string) =>
    importText(
      `apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: { name: q }\nspec: { ${spec} }`,
    );
  const isvc = (predictor: string) =>
    importText(
      `apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: { name: q }\nspec: { predictor: { ${predictor} } }`,
    );
  const huggingface = "modelFormat: { name: huggingface }, storageUri: hf://Qwen/Qwen3-8B";

  it.each([
    [
      "sizes of its groups",
      () => llm("model: { uri: hf://meta-llama/Llama-3.3-70B-Instruct }, parallelism: { tensor: 4 }"),
      4,
    ],
    [
      "a configuration that no file has",
      () => llm("model: { uri: hf://Qwen/Qwen3-8B }, baseRefs: [{ name: house }]"),
      1,
    ],
    ["a runtime that no file has", () => isvc(`model: { runtime: ours, ${huggingface} }`), 1],
    ["workers", () => isvc(`model: { ${huggingface} }, workerSpec: {}`), 1],
  ])("has GPUs by %s", async (_, read, tensor) => {
    const { machine, original } = draftOf(await read());
    expect([machine.vendor, original.tensorParallel]).toEqual(["nvidia", tensor]);
  });

  it("lays ranks that share experts out over the same GPUs", async () => {
    const gpus = "template: { containers: [{ name: main, resources: { limits: { nvidia.com/gpu: '8' } } }] }";
    const result = await llm(
      `model: { uri: hf://deepseek-ai/DeepSeek-R1 }, parallelism: { tensor: 1, data: 16, dataLocal: 8, expert: true }, ${gpus}`,
    );
    expect(draftOf(result).original).toMatchObject({ tensorParallel: 8, pipelineParallel: 2 });
    expect(kindsAt(result, "spec.parallelism.expert")).toEqual(["notMapped"]);
    const flags = await importText(
      "services: { a: { image: 'vllm/vllm-openai:v0.33.0', gpus: [{ count: 8 }], command: --model deepseek-ai/DeepSeek-R1 --data-parallel-size 8 --enable-expert-parallel } }",
    );
    expect(draftOf(flags).block.tensorParallel).toBe(8);
  });

  it("has a predictor by its format's key", async () => {
    const result = await isvc(
      "huggingface: { args: [--model_id=Qwen/Qwen3-8B, --max_length=4096], resources: { limits: { nvidia.com/gpu: '1' } } }",
    );
    expect(result.settled?.models.map(({ weights }) => weights.model)).toEqual(["qwen3-8b"]);
    expect(kindsAt(result, "spec.predictor.huggingface.args[1]")).toEqual(["mapped"]);
    expect(result.entries.every(({ line = 0, path }) => path === "" || line > 0)).toBe(true);
  });

  it.each(["fill_mask", "token_classification", "sequence_classification", "time_series_forecast"])(
    "leaves a server of the task %s out as a whole",
    async (task) => {
      const result = await isvc(
        `model: { modelFormat: { name: huggingface }, args: [--model_id=google-bert/bert-base-uncased, --task=${task}] }`,
      );
      expect(result.settled).toBeUndefined();
      expect(result.entries).toMatchObject([{ kind: "notMapped", why: expect.stringContaining(task) }]);
    },
  );
});
