/** Words of other projects: each row of the table leads to a key that is there, and no word hides one. */
import { describe, expect, it } from "vitest";
import { folded } from "../../../stacks/config/core/near-names";
import type { Path } from "../../../stacks/config/core/problems";
import { fieldAt, keysOf } from "../../../stacks/config/field-text";
import { foreignKey, foreignValue } from "../../../stacks/config/foreign-words";
import table from "../../../stacks/config/foreign-words.json";
import { problemsWith } from "./samples";

const pathOf = (pattern: string): Path =>
  pattern === "" ? [] : pattern.split(".").map((part) => (part === "*" ? "x" : part));

describe("the table of foreign words", () => {
  it("names keys that are there, in mappings that are there", () => {
    const dead = table.keys.flatMap((row) =>
      row.in.flatMap((pattern) => {
        const parent = pathOf(pattern);
        const { key } = row as { readonly key?: string };
        const target = key === undefined ? parent : [...parent, ...key.split(".")];
        return fieldAt(target) === undefined ? [[pattern, key]] : [];
      }),
    );
    expect(dead).toEqual([]);
  });

  it("has no word that is a key or a value here, and none twice", () => {
    const words = table.keys.flatMap((row) => row.in.flatMap((at) => row.words.map((word) => `${at} ${folded(word)}`)));
    const values = table.values.flatMap((row) =>
      row.in.flatMap((at) => row.words.map((word) => `${at} ${folded(word)}`)),
    );
    for (const all of [words, values]) {
      expect(all.filter((word, index) => all.indexOf(word) !== index)).toEqual([]);
    }
    const keys = new Set(
      table.keys
        .flatMap((row) => row.in)
        .flatMap((at) => keysOf(fieldAt(pathOf(at))).map((key) => `${at} ${folded(key)}`)),
    );
    expect(words.filter((word) => keys.has(word))).toEqual([]);
    const taken = table.values.flatMap((row) =>
      row.in.flatMap((at) => (fieldAt(pathOf(at))?.enum ?? []).map((word) => `${at} ${folded(String(word))}`)),
    );
    expect(values.filter((word) => taken.includes(word))).toEqual([]);
  });

  it("says what to do in every row", () => {
    const silent = [...table.keys, ...table.values].filter((row) => !("key" in row) && !("fix" in row));
    expect(silent).toEqual([]);
  });
});

const model = { model: "qwen2.5-7b-instruct" };
const sections = (section: string, written: object): Record<string, unknown> =>
  section === "models"
    ? { models: { chat: { ...model, ...written } } }
    : section === "pools"
      ? { pools: { gpu: { shape: "VM.GPU.A10.2", ...written } } }
      : { [section]: written };

describe("what users of other projects write", () => {
  it.each<[string, string, object, string, string]>([
    ["the longest context", "models", { maxModelLen: 4096 }, "models.chat.maxModelLen", "contextTokens: 4096"],
    ["GPUs", "models", { gpus: 2 }, "models.chat.gpus", "vllm: {tensorParallel: 2}"],
    [
      "GPUs beside a block",
      "models",
      { requestGPU: 2, vllm: {} },
      "models.chat.requestGPU",
      "add tensorParallel: 2 to vllm",
    ],
    [
      "GPUs of an engine without the setting",
      "models",
      { ...{ model: "llama-3.2-3b-instruct", engine: "ollama" }, gpus: 2 },
      "models.chat.gpus",
      "no such setting",
    ],
    ["replicas", "models", { replicaCount: 2 }, "models.chat.replicaCount", "replicas: {min: 2}"],
    ["flags", "models", { extraArgs: ["--foo"] }, "models.chat.extraArgs", "args: {"],
    ["requests of pods", "models", { resources: {} }, "models.chat.resources", "memoryGiB"],
    ["labels", "models", { labels: { a: "b" } }, "models.chat.labels", "pod: {labels:"],
    ["an image", "models", { containerImage: "vllm/vllm-openai:v0.10" }, "models.chat.containerImage", "own-images.md"],
    ["a selector of nodes", "models", { nodeSelector: { a: "b" } }, "models.chat.nodeSelector", "pools.<pool>.labels"],
    ["a dtype", "models", { dtype: "float16" }, "models.chat.dtype", "args: {dtype: float16}"],
    [
      "a shape",
      "pools",
      { instanceType: "VM.GPU.A10.1", shape: undefined },
      "pools.gpu.instanceType",
      "shape: VM.GPU.A10.1",
    ],
    ["nodes", "pools", { nodes: 1 }, "pools.gpu.nodes", "minNodes: 1"],
    ["labels of nodes", "pools", { nodeSelector: { a: "b" } }, "pools.gpu.nodeSelector", "labels: …"],
    ["tolerations", "pools", { tolerations: [{ key: "sku" }] }, "pools.gpu.tolerations", "write taints: "],
    ["metrics off", "observability", { enabled: false }, "observability.enabled", "another Prometheus Operator"],
    ["no metrics", "observability", { profile: "none" }, "observability.profile", "light"],
    ["a speech model", "models", { task: "speech" }, "models.chat.task", "engine: external takes chat"],
    ["pictures", "models", { task: "image" }, "models.chat.task", "engine: external takes chat"],
    ["a classifier", "models", { task: "classify" }, "models.chat.task", "triton.repository"],
    ["an engine that is not here", "models", { engine: "sglang" }, "models.chat.engine", "engine: external"],
  ])("means %s", (_, section, written, path, fix) => {
    const told = problemsWith(sections(section, written)).filter((problem) => problem.path === path);
    expect(told.map((problem) => problem.fix)).toEqual([expect.stringContaining(fix)]);
  });

  it.each([
    ["eks", "aws"],
    ["oke", "oci"],
    ["k3s", "edge"],
    ["aks", "local"],
    ["minikube", "local"],
  ])("means of the kind %s the kind %s", (kind, meant) => {
    const told = problemsWith({ cluster: { kind } }).find(({ path }) => path === "cluster.kind");
    expect(told?.fix).toContain(`kind: ${meant}`);
  });

  it("takes machines of one's own for right on a kind that means any cluster", () => {
    const pools = { gpu: { node: { card: "l4", gpuCount: 1, vcpus: 16, memoryGiB: 64 }, usdPerNodeHour: 1 } };
    const told = problemsWith({ cluster: { kind: "aks" }, pools });
    expect(told.map(({ path }) => path).filter((path) => /^(cluster|pools)/.test(path))).toEqual(["cluster.kind"]);
  });

  it("keeps what it cannot place out of messages: tokens are no values to show", () => {
    const problems = problemsWith(sections("models", { hfToken: "hf_abcdefghijklmnop", dtype: "hf_abcdefghijklmnop" }));
    expect(JSON.stringify(problems)).not.toContain("hf_abc");
  });

  it("leaves other words alone", () => {
    expect(foreignKey(["models", "chat"], "zzz", {})).toBeUndefined();
    expect(foreignValue(["models", "chat", "task"], "zzz")).toBeUndefined();
    expect(foreignValue(["models", "chat", "task"], ["chat"])).toBeUndefined();
  });
});

describe("a model of the chart of vLLM production-stack", () => {
  /** Keys below servingEngineSpec.modelSpec (helm/values.schema.json and tutorials/assets, read 2026-11-28). */
  const KEYS =
    "affinity annotations chatTemplate enableLoRA enableTool envFromSecret extraVolumeMounts extraVolumes hf_token imagePullSecret initContainer keda labels limitCPU limitGPUCores limitGPUMem limitGPUMemPercentage limitMemory lmcacheConfig modelRevision modelURL name nodeName nodeSelectorTerms podAnnotations podLabels priorityClassName pvcAccessMode pvcAnnotations pvcLabels pvcMatchLabels pvcStorage raySpec replicaCount repository requestCPU requestGPU requestGPUCores requestGPUMem requestGPUMemPercentage requestGPUType requestMemory resources runtimeClassName serviceAccountName serviceAnnotations shmSize storageClass tag tolerations tolerationsPolicy toolCallParser vllmConfig".split(
      " ",
    );

  it("has no key that is answered by the removal of what the user meant", () => {
    const lost = KEYS.filter((key) =>
      problemsWith({ models: { chat: { model: "qwen3-8b", [key]: "x" } } }).some(({ fix }) =>
        fix.includes("nothing reads it"),
      ),
    );
    expect(lost).toEqual([]);
  });
});
