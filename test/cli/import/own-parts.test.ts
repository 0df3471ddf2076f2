/** Images, weights and parts of pods that are the team's own, and objects that others refer to. */
import { describe, expect, it } from "vitest";
import type { Imported } from "../../../cli/import/import-files";
import type { ImportOptions } from "../../../cli/import/options";
import { reportText } from "../../../cli/import/report-text";
import { importFixtures, importText, modelsOf, sectionsOf } from "./imported";

/** What the environment has. */
function written(result: Imported) {
  const [model = {}] = Object.values(modelsOf(result));
  return { model, storage: sectionsOf(result).storage };
}

const why = ({ entries }: Imported, path: string) => entries.find((entry) => entry.path === path);

const service = (image: string) => `
apiVersion: kubeai.org/v1
kind: Model
metadata: { name: chat }
spec:
  url: hf://meta-llama/Llama-3.1-8B-Instruct
  engine: VLLM
  image: ${image}
  args: [--max-model-len=8192]
  resourceProfile: nvidia-gpu-l4:1
`;

describe("an image of the team's own", () => {
  const image = async (name: string, options: Partial<ImportOptions> = {}) => {
    const result = await importText(service(name), options);
    const { model } = written(result);
    return { image: model.image, engineVersion: model.engineVersion, entry: why(result, "spec.image") };
  };

  it("is kept with the release that its tag states", async () => {
    expect(await image("registry.example.com/ml/vllm-ours:v0.33.0-2")).toMatchObject({
      image: "registry.example.com/ml/vllm-ours:v0.33.0-2",
      engineVersion: "0.33.0",
      entry: { kind: "mapped", to: "models.*.image" },
    });
  });

  it("is kept with the release that the user states", async () => {
    const digest = `ml/vllm-ours@sha256:${"0f".repeat(32)}`;
    expect(await image(digest, { engineVersion: "0.33.0" })).toMatchObject({
      image: `docker.io/${digest}`,
      engineVersion: "0.33.0",
      entry: { kind: "mapped" },
    });
  });

  it.each([
    ["registry.example.com/ml/vllm-ours:latest", /tag moves/],
    ["registry.example.com/ml/vllm-ours:build-77", /does not say which release/],
    ["lmcache/vllm-openai:v0.9.1", /does not say which release/],
    ["registry.example.com/ml/vllm:v0.2.0", /0\.2\.0 is none of the releases/],
    ["nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.3", /program of its own/],
    ["vllm-ours:v0.33.0", /no registry/],
  ])("%s gives way to the published one, with the reason", async (name, reason) => {
    const { entry, ...settings } = await image(name);
    expect(settings).toEqual({ image: undefined, engineVersion: undefined });
    expect(entry).toMatchObject({ kind: "notMapped", why: expect.stringMatching(reason) });
  });

  it("of the engine's project is its release alone", async () => {
    expect(await image("vllm/vllm-openai:v0.33.0")).toMatchObject({ image: undefined, engineVersion: "0.33.0" });
    expect(await image("vllm/vllm-openai:v0.8.5.post1")).toMatchObject({ engineVersion: "0.8.5.post1" });
  });

  it("gives way where the planner refuses the model for it", async () => {
    const result = await importFixtures(["oci-recipe/rdma-pool.json", "oci-recipe/rdma-inference.json"]);
    expect(written(result).model).not.toHaveProperty("image");
    expect(why(result, "recipe_image_uri")).toMatchObject({
      kind: "notMapped",
      why: expect.stringMatching(/with this image the plan is refused/),
    });
  });
});

describe("weights elsewhere", () => {
  it("of a claim stay there", async () => {
    const result = await importFixtures(["production-stack/own-parts.yaml"]);
    expect(written(result).model).toMatchObject({
      model: "llama-3.1-8b-instruct",
      source: "pvc://weights/llama-3.1-8b-instruct",
    });
    expect(why(result, "servingEngineSpec.modelSpec[0].pvcExistingClaimName")?.why).toContain("namespace model-<name>");
  });

  it("of a bucket are copied from there", async () => {
    const { model, storage } = written(await importFixtures(["kubeai-model/bucket.yaml"]));
    expect(model).toMatchObject({
      model: "llama-3.1-8b-instruct",
      source: "s3://corp-models/llama-3.1-8b-instruct",
      image: "registry.example.com/ml/vllm:v0.33.0",
    });
    expect(storage).toEqual({
      buckets: { "corp-models": { url: "https://s3.us-east-1.amazonaws.com", region: "us-east-1" } },
    });
  });

  it("under a folder of the pod are no repository of a folder's name", async () => {
    const result = await importText(
      'services: {a: {image: "vllm/vllm-openai:v0.33.0", command: "--model /app/models/Ours-8B", gpus: all}}',
    );
    expect(written(result).model).toMatchObject({ config: "models/a/config.json", source: "s3://models/a" });
  });
});

describe("parts of pods", () => {
  it("become models.*.pod", async () => {
    const { model } = written(await importFixtures(["production-stack/own-parts.yaml"]));
    expect(model.pod).toEqual({
      labels: { "example.com/team": "search" },
      volumes: [
        { name: "scratch", mountPath: "/scratch", scratchGiB: 20 },
        { name: "license", mountPath: "/license", secret: "license" },
      ],
      initContainers: [
        {
          name: "prepare",
          image: "registry.example.com/ops/prepare:1.0.3",
          command: ["/bin/prepare", "/scratch"],
          mounts: { scratch: "/scratch" },
        },
      ],
    });
  });

  const pod = (more: string) => `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: { name: chat }
spec:
  predictor:
    containers:
      - name: kserve-container
        image: vllm/vllm-openai:v0.33.0
        args: [--model, meta-llama/Llama-3.1-8B-Instruct, --max-model-len, "8192"]
        resources: { limits: { nvidia.com/gpu: 1 } }
        volumeMounts: [{ name: cache, mountPath: /tmp/cache }, { name: host, mountPath: /host }]
${more}
`;

  it("that the configuration refuses are left out with its reason", async () => {
    const result = await importText(
      pod("    volumes: [{ name: cache, emptyDir: { sizeLimit: 5Gi } }, { name: host, hostPath: { path: / } }]"),
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(written(result).model).not.toHaveProperty("pod");
    expect(why(result, "spec.predictor.volumes[0]")).toMatchObject({
      why: expect.stringMatching(/outside of \/models/),
    });
    expect(why(result, "spec.predictor.volumes[1]")?.kind).toBe("notMapped");
  });

  it("are sidecars where their size and image are known", async () => {
    const sidecar = (more: string) => pod(`      - { name: shipper, image: "ops/shipper:1.4.2", ${more} }`);
    const sized = await importText(sidecar("resources: { limits: { cpu: 250m, memory: 256Mi } }, tty: true"));
    expect(written(sized).model.pod).toEqual({
      sidecars: [{ name: "shipper", image: "docker.io/ops/shipper:1.4.2", cpu: 0.25, memoryGiB: 0.25 }],
    });
    expect(why(sized, "spec.predictor.containers[1]")?.why).toContain("without tty");
    const unsized = await importText(sidecar("tty: true"));
    expect(why(unsized, "spec.predictor.containers[1]")).toMatchObject({
      kind: "notMapped",
      why: expect.stringMatching(/needs its CPU, its memory/),
    });
  });
});

describe("what others refer to", () => {
  it("is a serving runtime of the same files", async () => {
    const result = await importFixtures(["kserve-inference-service/runtime.yaml"]);
    expect(written(result).model).toMatchObject({
      servedName: "chat",
      image: "registry.example.com/ml/vllm-ours:v0.33.0-2",
      engineVersion: "0.33.0",
      source: "pvc://weights/llama-3.1-8b-instruct",
      contextTokens: 8192,
      pod: {
        annotations: { "example.com/cost-center": "4711" },
        volumes: [{ name: "files", mountPath: "/files", configMap: "engine-files" }],
      },
    });
    expect(why(result, "spec.containers[0].image")).toMatchObject({ line: 11, to: "models.*.image" });
    expect(why(result, "spec.containers[0].args[0]")).toMatchObject({ line: 14, kind: "notMapped" });
    expect(why(result, "spec.predictor.model.args[0]")).toMatchObject({ line: 40, to: "models.*.contextTokens" });
  });

  it("is a configuration of the same files, below what the service says", async () => {
    const result = await importFixtures(["kserve-llm-inference-service/base-refs.yaml"]);
    expect(written(result).model).toMatchObject({
      model: "llama-3.1-8b-instruct",
      engineVersion: "0.33.0",
      contextTokens: 8192,
      vllm: { tensorParallel: 2 },
      env: { VLLM_LOGGING_LEVEL: "INFO" },
      args: { "kv-offloading-size": 10 },
      pod: { labels: { "example.com/team": "search" } },
    });
  });

  it.each([
    ["spec.baseRefs[0]", "kserve-llm-inference-service/base-refs.yaml", "house-rules"],
    ["spec.predictor.model.runtime", "kserve-inference-service/runtime.yaml", "vllm-ours"],
  ])("is named at %s where no file has it", async (path, file, name) => {
    const { readDocuments } = await import("../../../cli/import/read-documents");
    const { importDocuments } = await import("../../../cli/import/import-files");
    const { repositoryRoot } = await import("../../../names/repository-root");
    const root = repositoryRoot();
    const [, alone] = readDocuments(file, `${root}/test/cli/import/fixtures/${file}`);
    const result = await importDocuments("imported", alone === undefined ? [] : [alone], { create: false }, root);
    expect(why(result, path)).toMatchObject({ kind: "notMapped", why: expect.stringContaining(name) });
  });
});

describe("pods of prefill and decode", () => {
  it("have no connector of their own, and their sum is the original's", async () => {
    const result = await importText(`
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: { name: chat }
spec:
  model: { uri: hf://meta-llama/Llama-3.1-8B-Instruct }
  replicas: 1
  prefill: { replicas: 2 }
  kvCacheOffloading: { cpu: 4Gi }
  template:
    containers:
      - name: main
        args: [--max-model-len=8192, --kv-transfer-config, '{"kv_connector": "NixlConnector", "kv_role": "kv_consumer"}']
        resources: { limits: { nvidia.com/gpu: "1" } }
`);
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(written(result).model).not.toHaveProperty("args");
    expect(why(result, "spec.template.containers[0].args[1]")?.why).toContain("both kinds of pods");
    expect(why(result, "spec.kvCacheOffloading.cpu")?.why).toContain("replaces the connector");
    expect(result.entries.filter(({ why: reason }) => reason?.includes("in place of"))).toEqual([]);
  });
});

describe("a variable of a recipe", () => {
  it("that the command line refers to is answered by the flag", async () => {
    const result = await importText(
      JSON.stringify({
        recipe_mode: "service",
        recipe_image_uri: "vllm/vllm-openai:v0.33.0",
        recipe_node_shape: "VM.GPU.A10.1",
        recipe_container_env: [{ key: "model_name", value: "Qwen/Qwen3-8B" }],
        recipe_container_command_args: ["--model", "$(model_name)", "--max-model-len", "4096"],
      }),
    );
    expect(written(result).model).toMatchObject({ model: "qwen3-8b" });
    expect(why(result, "recipe_container_env[0]")).toMatchObject({ kind: "changed" });
  });
});

describe("what plans need besides the file", () => {
  it("is a pool of the platform's own where the only other one has taints", async () => {
    const result = await importText(
      "ollama: {gpu: {enabled: false}, models: {pull: ['llama3.2:1b']}}\ntolerations: [{key: workload, value: llm}]",
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
    expect(result.settled?.text).toMatch(/^ {4}system:$/m);
  });

  it("is a description of the repository that an Ollama tag stands for", async () => {
    const result = await importText("ollama: {models: {pull: ['nomic-embed-text']}}");
    expect(written(result).model).toMatchObject({
      model: "hf://nomic-ai/nomic-embed-text-v1.5",
      engine: "ollama",
      source: "ollama://nomic-embed-text",
      task: "embedding",
    });
  });

  it("is said where models are outside the catalogue, and the others are planned", async () => {
    const result = await importText(
      'services: {a: {image: "vllm/vllm-openai:v0.33.0", command: "--model Qwen/Qwen3-8B --max-model-len 4096", gpus: all}, b: {image: "vllm/vllm-openai:v0.33.0", command: "--model ours/Model-8B", gpus: all}}',
    );
    expect(result.settled?.decision).toMatchObject({ kind: "planned", isPartial: true });
    expect(reportText(result)).toMatch(/Fits: a on .*\nModels outside the catalogue/);
  });
});
