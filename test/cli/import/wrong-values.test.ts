/** Values that the original's own platform refuses, or that have no effect here, are no values that are mapped. */
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { importText, kindsAt, modelsOf, sectionsOf } from "./imported";
import { kserve } from "./small-files";

const ARGS = ["--model_id=Qwen/Qwen2.5-7B-Instruct", "--max-model-len=4096"];
const service = (limits: Record<string, unknown>, predictor: Record<string, unknown> = {}, args = ARGS) =>
  kserve({ model: { modelFormat: { name: "huggingface" }, args, resources: { limits } }, ...predictor });
const GPU = { "nvidia.com/gpu": "1" };
const LIMITS = "spec.predictor.model.resources.limits";

const kubeai = (spec: Record<string, unknown>) =>
  stringify({
    apiVersion: "kubeai.org/v1",
    kind: "Model",
    metadata: { name: "a" },
    spec: {
      url: "hf://Qwen/Qwen3-8B",
      engine: "VLLM",
      resourceProfile: "nvidia-gpu-l4:1",
      args: ["--max-model-len=4096"],
      ...spec,
    },
  });
const ollama = (more: Record<string, unknown>) => stringify({ ollama: { models: { pull: ["llama3.1"] } }, ...more });

const recipe = (more: Record<string, unknown>) =>
  JSON.stringify({
    recipe_id: "llm",
    recipe_mode: "service",
    deployment_name: "chat",
    recipe_image_uri: "vllm/vllm-openai:v0.10.0",
    recipe_node_shape: "BM.GPU.A10.4",
    recipe_nvidia_gpu_count: 2,
    recipe_container_command_args: ["--model", "Qwen/Qwen2.5-7B-Instruct", "--tensor-parallel-size", "2"],
    ...more,
  });

const CASES: readonly (readonly [string, string, string])[] = [
  [service({ "nvidia.com/gpu": "-4" }), `${LIMITS}.nvidia.com/gpu`, "wrong"],
  [service({ "nvidia.com/gpu": "0.5" }), `${LIMITS}.nvidia.com/gpu`, "wrong"],
  [service({ ...GPU, "rdma/roce_gdr": "1" }), `${LIMITS}.rdma/roce_gdr`, "notMapped"],
  [service({ ...GPU, cpu: "4", memory: "16Gi" }), `${LIMITS}.cpu`, "changed"],
  [service({ ...GPU, "ephemeral-storage": "100Gi" }), `${LIMITS}.ephemeral-storage`, "changed"],
  [service(GPU, { minReplicas: 5, maxReplicas: 2 }), "spec.predictor.maxReplicas", "wrong"],
  [service(GPU, { minReplicas: "some" }), "spec.predictor.minReplicas", "wrong"],
  [
    service(GPU, { workerSpec: { tensorParallelSize: 0, pipelineParallelSize: 2 } }),
    "spec.predictor.workerSpec.tensorParallelSize",
    "wrong",
  ],
  [service(GPU, {}, [...ARGS.slice(0, 1), "--max-model-len=-5"]), "spec.predictor.model.args[1]", "wrong"],
  [kubeai({ minReplicas: 3, maxReplicas: 1 }), "spec.maxReplicas", "wrong"],
  [kubeai({ resourceProfile: "nvidia-gpu-l4:x" }), "spec.resourceProfile", "wrong"],
  [kubeai({ features: ["SpeechToText"] }), "spec.features[0]", "notMapped"],
  [recipe({}), "recipe_nvidia_gpu_count", "mapped"],
  [recipe({ recipe_nvidia_gpu_count: 5 }), "recipe_nvidia_gpu_count", "wrong"],
  [recipe({ recipe_nvidia_gpu_count: 1 }), "recipe_nvidia_gpu_count", "wrong"],
  [recipe({ recipe_nvidia_gpu_count: 4 }), "recipe_nvidia_gpu_count", "changed"],
  [recipe({ recipe_mode: "servicex" }), "recipe_mode", "wrong"],
  [
    recipe({ recipe_replica_count: 2, recipe_pod_autoscaling_params: { min_replicas: 1, max_replicas: 3 } }),
    "recipe_replica_count",
    "notMapped",
  ],
  [
    recipe({ recipe_node_pool_size: 2, recipe_node_autoscaling_params: { min_nodes: 1, max_nodes: 3 } }),
    "recipe_node_pool_size",
    "notMapped",
  ],
  [ollama({ replicaCount: "some" }), "replicaCount", "wrong"],
  [ollama({ autoscaling: { enabled: true, minReplicas: 4, maxReplicas: 2 } }), "autoscaling.maxReplicas", "wrong"],
];

describe("an account", () => {
  it.each(CASES)("of %j says at %s: %s", async (text, path, kind) => {
    expect(kindsAt(await importText(text), path)).toEqual([kind]);
  });

  it.each([
    [kubeai({ resourceProfile: "nvidia-gpu-l4:2", args: ["--tensor-parallel-size=4"] }), "spec"],
    [
      stringify({
        apiVersion: "serving.kserve.io/v1alpha2",
        kind: "LLMInferenceService",
        metadata: { name: "chat" },
        spec: {
          model: { uri: "hf://Qwen/Qwen2.5-7B-Instruct" },
          parallelism: { tensor: 4 },
          template: { containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": "2" } } }] },
        },
      }),
      "",
    ],
  ])("says that an engine with too few GPUs does not start: %#", async (text, at) => {
    const { entries } = await importText(text);
    const wrong = entries.filter(({ kind, path }) => kind === "wrong" && path === at);
    expect(wrong.map(({ why }) => why)).toEqual([expect.stringContaining("needs 4 GPUs")]);
  });

  it("gives the reason of an adapter from elsewhere", async () => {
    const { entries } = await importText(kubeai({ adapters: [{ name: "x", url: "s3://bucket/x" }] }));
    expect(entries.find(({ path }) => path === "spec.adapters[0]")?.why).toContain("hf://org/name");
  });

  it.each([
    ["Standard", "mapped"],
    ["Knative", "changed"],
  ])("of a service of KServe without a limit, in the mode %s, says of minReplicas: %s", async (mode, kind) => {
    const annotations = { "serving.kserve.io/deploymentMode": mode, "serving.kserve.io/stop": "true" };
    const file = parse(service(GPU, { minReplicas: 2 })) as { metadata: Record<string, unknown> };
    const result = await importText(stringify({ ...file, metadata: { ...file.metadata, annotations } }));
    expect(kindsAt(result, "spec.predictor.minReplicas")).toEqual([kind]);
    expect(kindsAt(result, "metadata.annotations.serving.kserve.io/stop")).toEqual(["changed"]);
    expect(modelsOf(result).chat?.replicas).toEqual({ min: 2 });
  });

  it("says what pods of two kinds make of numbers of replicas", async () => {
    const container = { name: "main", resources: { limits: GPU } };
    const result = await importText(
      stringify({
        apiVersion: "serving.kserve.io/v1alpha2",
        kind: "LLMInferenceService",
        metadata: { name: "chat" },
        spec: {
          model: { uri: "hf://Qwen/Qwen2.5-7B-Instruct" },
          scaling: { maxReplicas: 5 },
          prefill: { replicas: 2, template: { containers: [container] } },
          template: { containers: [container] },
        },
      }),
    );
    expect(kindsAt(result, "spec.scaling.maxReplicas")).toEqual(["notMapped"]);
  });
});

describe("an environment", () => {
  it("has no GPUs where the original asks for none", async () => {
    const { pools } = sectionsOf(await importText(service({ "nvidia.com/gpu": "0" })));
    expect(JSON.stringify(pools)).not.toContain("card");
  });

  it.each([
    ["cloud.google.com/gke-accelerator", "nvidia-h100-80gb", "h100-sxm"],
    ["karpenter.k8s.aws/instance-gpu-name", "h100", "h100-sxm"],
    ["nvidia.com/gpu.product", "NVIDIA-H100-PCIe", "h100-pcie"],
  ])("has the card of the label %s: %s", async (label, value, card) => {
    const { pools } = sectionsOf(await importText(service(GPU, { nodeSelector: { [label]: value } })));
    expect(JSON.stringify(pools)).toContain(`"card":"${card}"`);
  });

  it.each([
    ["Standard_NC24ads_A100_v4", '"card":"a100-80gb-pcie","gpuCount":1', "local", "mapped"],
    ["g5.xlarge", '"shape":"g5.xlarge"', "aws", "mapped"],
    ["BM.GPU.H100.8", '"shape":"BM.GPU.H100.8"', "oci", "mapped"],
    ["a2-highgpu-1g", '"card":"l4"', "local", "notMapped"],
    ["m7i.4xlarge", '"card":"l4"', "local", "notMapped"],
  ])("has the machine %s of a label", async (type, machine, cluster, kind) => {
    const label = "node.kubernetes.io/instance-type";
    const result = await importText(service(GPU, { nodeSelector: { [label]: type } }));
    const sections = sectionsOf(result);
    expect(JSON.stringify(sections.pools)).toContain(machine);
    expect(sections.cluster?.kind).toBe(cluster);
    expect(kindsAt(result, `spec.predictor.nodeSelector.${label}`)).toEqual([kind]);
    expect(result.settled?.decision).toMatchObject({ kind: "planned", refusals: [] });
  });

  it.each([
    [[], { "nvidia.com/gpu": "4" }],
    [["--tensor-parallel-size=2"], { "nvidia.com/gpu": "4" }],
  ])("spreads a model over all GPUs of KServe's own server, with %j", async (flags, limits) => {
    const result = await importText(service(limits, {}, [...ARGS, ...flags]));
    expect(modelsOf(result).chat?.vllm).toEqual({ tensorParallel: 4 });
    expect(result.entries.filter(({ kind }) => kind === "wrong")).toEqual([]);
    expect(kindsAt(result, "spec.predictor.model.args[2]")).toEqual(flags.map(() => "changed"));
  });

  it("spreads tensor parallelism over the nodes of workers", async () => {
    const workerSpec = { tensorParallelSize: 4, pipelineParallelSize: 1 };
    const result = await importText(service({ "nvidia.com/gpu": "2" }, { workerSpec }));
    expect(modelsOf(result).chat?.vllm).toEqual({ tensorParallel: 4, pipelineParallel: 1 });
    expect(result.entries.filter(({ kind }) => kind === "wrong")).toEqual([]);
  });

  it("has the card that the affinity of pods asks for", async () => {
    const terms = [{ matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-L40S"] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
    const { pools } = sectionsOf(await importText(service(GPU, { affinity })));
    expect(JSON.stringify(pools)).toContain('"card":"l40s"');
  });

  it("has the weights that an image is called after", async () => {
    const model = {
      modelFormat: { name: "huggingface" },
      storageUri: "oci://h/qwen2.5-7b-instruct:1",
      resources: { limits: GPU },
    };
    expect(modelsOf(await importText(kserve({ model }))).chat?.model).toBe("qwen2.5-7b-instruct");
  });

  it("has texts in quotes that Pulumi would read as numbers or dates", async () => {
    const labels = { built: "2024-01-01", size: "1_000", mask: "0b1" };
    const { settled } = await importText(service(GPU, { labels }));
    for (const text of Object.values(labels)) {
      expect(settled?.text).toContain(`"${text}"`);
    }
  });
});
