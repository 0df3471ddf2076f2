import { describe, expect, it } from "vitest";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

const { pools, models, gateway } = rightEnvironment;
const gpu = { shape: "VM.GPU.A10.2", maxNodes: 4 };
const chat = { model: "qwen2.5-7b-instruct" };
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };
const edgeCluster = { kind: "edge" };
const control = { enabled: true, image: "ghcr.io/your-org/control:1.0.0" };
const machine = { vcpus: 16, memoryGiB: 64 };

/** Each with both limits. */
function manyConsumers(count: number): Record<string, object> {
  const limits = { requestsPerMinute: 1, tokensPerMinute: 1 };
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [`client-${number}`, { ...limits }]));
}

/** What is changed, the one problem that must be found, and what its texts must contain. */
const cases: readonly [string, Record<string, unknown>, { path: string; allowed?: string; fix: string }][] = [
  ["no pool at all", { pools: {} }, { path: "pools", fix: "add one" }],
  ["neither shape nor node", { pools: { gpu: {} } }, { path: "pools.gpu", fix: "add shape" }],
  [
    "both shape and node",
    { pools: { gpu: { ...gpu, node: machine } } },
    { path: "pools.gpu", fix: "remove one of the two" },
  ],
  [
    "an unknown shape",
    { pools: { gpu: { shape: "BM.GPU.H100.9" } } },
    { path: "pools.gpu.shape", fix: 'did you mean "BM.GPU.H100.8"?' },
  ],
  [
    "a card as shape",
    { pools: { gpu: { shape: "rtx-4090" } } },
    { path: "pools.gpu.shape", fix: "node: {card: rtx-4090" },
  ],
  [
    "a shape that cannot be used",
    { pools: { gpu: { shape: "BM.GPU4.8" } } },
    { path: "pools.gpu.shape", allowed: "unusable on OKE", fix: "another shape" },
  ],
  [
    "RDMA on a shape that has none",
    { pools: { gpu: { ...gpu, rdma: { access: "virtual-functions" } } } },
    { path: "pools.gpu.rdma", allowed: "VM.GPU.A10.2 has no RDMA network", fix: "remove rdma" },
  ],
  [
    "RDMA on a shape whose network is of no use",
    { pools: { gpu: { shape: "BM.GPU.L40S.4", rdma: { access: "virtual-functions" } } } },
    { path: "pools.gpu.rdma", allowed: "no NCCL values are published", fix: "remove rdma" },
  ],
  [
    "another cloud's access to RDMA",
    { pools: { gpu: { shape: "BM.GPU.H100.8", rdma: { access: "efa" } } } },
    {
      path: "pools.gpu.rdma.access",
      allowed: "virtual-functions or host-network on BM.GPU.H100.8",
      fix: "write virtual-functions",
    },
  ],
  [
    "blocks of an RDMA network that nobody uses",
    { pools: { gpu: { shape: "BM.GPU.H100.8", rdma: { topologyLabel: "example.com/block" } } } },
    { path: "pools.gpu.rdma.topologyLabel", allowed: "only with access", fix: "add access: virtual-functions" },
  ],
  [
    "the host's network for EFA, which has devices of its own",
    { pools: { gpu: { shape: "p5.48xlarge", rdma: { access: "host-network" } } }, cluster: { kind: "aws" } },
    { path: "pools.gpu.rdma.access", allowed: "efa on p5.48xlarge", fix: "write efa" },
  ],
  [
    "RDMA on a machine of one's own",
    {
      cluster: edgeCluster,
      pools: { gpu: { node: { ...machine, card: "l40s", gpuCount: 4 }, rdma: { access: "efa" } } },
    },
    { path: "pools.gpu.rdma", allowed: "no RDMA network of machines of your own", fix: "remove rdma" },
  ],
  [
    "a shape of another cloud",
    { pools: { gpu: { shape: "p5.48xlarge" } } },
    { path: "pools.gpu.shape", allowed: "a shape of oci", fix: "change cluster.kind" },
  ],
  [
    "a machine of one's own in a cloud",
    { pools: { gpu: { node: { ...machine, card: "l40s", gpuCount: 1 } } } },
    { path: "pools.gpu.node", allowed: "a shape of oci", fix: "take a shape" },
  ],
  [
    "a cloud's shape at the edge",
    { cluster: edgeCluster, pools: { gpu } },
    { path: "pools.gpu.shape", allowed: "a machine of yours", fix: "node: {" },
  ],
  [
    "a shape without a price",
    { cluster: { kind: "aws" }, pools: { gpu: { shape: "p5e.48xlarge" } } },
    { path: "pools.gpu.usdPerNodeHour", fix: "add usdPerNodeHour" },
  ],
  [
    "a flexible shape without size",
    { pools: { gpu, system: { shape: "VM.Standard.A1.Flex", ocpus: 4 } } },
    { path: "pools.system.memoryGiB", allowed: "4 to 256 on VM.Standard.A1.Flex with 4 OCPUs", fix: "add memoryGiB" },
  ],
  [
    "a flexible shape too large",
    { pools: { gpu, system: { shape: "VM.Standard.A1.Flex", ocpus: 100, memoryGiB: 472 } } },
    { path: "pools.system.ocpus", allowed: "1 to 76", fix: "write 76" },
  ],
  [
    "a size on a fixed shape",
    { pools: { gpu: { ...gpu, ocpus: 4 } } },
    { path: "pools.gpu.ocpus", allowed: "fixed size", fix: "remove ocpus" },
  ],
  [
    "several GPUs of a model on CPUs",
    {
      pools: { gpu, cpu: { shape: "VM.Standard.A1.Flex", ocpus: 16, memoryGiB: 64, role: "cpu" } },
      models: { chat: { model: "qwen2.5-0.5b-instruct", pools: ["cpu"], vllm: { tensorParallel: 2 } } },
    },
    { path: "models.chat.vllm.tensorParallel", allowed: "no GPUs", fix: "remove tensorParallel" },
  ],
  [
    "an unknown card",
    { cluster: edgeCluster, pools: { gpu: { node: { ...machine, card: "rtx-4091", gpuCount: 1 } } } },
    { path: "pools.gpu.node.card", fix: '"rtx-4090"' },
  ],
  [
    "a card without a count",
    { cluster: edgeCluster, pools: { gpu: { node: { ...machine, card: "l40s" } } } },
    { path: "pools.gpu.node.gpuCount", fix: "gpuCount: 1" },
  ],
  [
    "a count without a card",
    { cluster: edgeCluster, pools: { gpu: { node: { ...machine, gpuCount: 1 } } } },
    { path: "pools.gpu.node.card", fix: "remove gpuCount" },
  ],
  [
    "role gpu without a GPU",
    { pools: { gpu, other: { ...pools.system, role: "gpu" } } },
    { path: "pools.other.role", allowed: "has no GPU", fix: "role: cpu" },
  ],
  [
    "more nodes at least than at most",
    { pools: { gpu: { ...gpu, minNodes: 5 } } },
    { path: "pools.gpu.maxNodes", allowed: "at least minNodes, 5", fix: "write maxNodes: 5" },
  ],
  [
    "a pool dedicated to nobody",
    { pools: { gpu, own: { ...gpu, dedicatedTo: ["chatt"] } } },
    { path: "pools.own.dedicatedTo[0]", fix: 'did you mean "chat"?' },
  ],
  ["neither model nor config", { models: { chat: {} } }, { path: "models.chat", fix: "add model" }],
  [
    "both model and config",
    { models: { chat: { ...chat, config: "c.json" } } },
    { path: "models.chat", fix: "remove one of the two" },
  ],
  [
    "an unknown model",
    { models: { chat: { model: "qwen2.5-7b" } } },
    { path: "models.chat.model", fix: 'did you mean "qwen2.5-7b-instruct"?' },
  ],
  [
    "a config without source",
    { models: { chat: { config: "c.json" } } },
    { path: "models.chat.source", fix: "add source" },
  ],
  [
    "a config over plain HTTP",
    { models: { chat: { config: "http://a/c.json", source: "hf://a/b" } } },
    { path: "models.chat.config", fix: "use https://" },
  ],
  [
    "an Ollama source for vLLM",
    { models: { chat: { ...chat, source: "ollama://qwen2.5:7b" } } },
    { path: "models.chat.source", fix: "engine: ollama" },
  ],
  [
    "a Hugging Face source for Ollama",
    { models: { chat: { ...ollama, source: "hf://a/b" } } },
    { path: "models.chat.source", fix: "ollama://tag, or engine: vllm" },
  ],
  [
    "Ollama without a known build",
    { models: { chat: { model: "deepseek-v3", engine: "ollama" } } },
    { path: "models.chat.source", allowed: "deepseek-v3", fix: "engine: vllm" },
  ],
  [
    "a vLLM setting on Ollama",
    { models: { chat: { ...ollama, vllm: { loading: "stream" } } } },
    { path: "models.chat.vllm", allowed: "only with engine vllm", fix: "remove vllm, or write engine: vllm" },
  ],
  [
    "a reranker on Ollama",
    { models: { chat: { ...ollama, task: "rerank" } } },
    { path: "models.chat.engine", fix: "engine: vllm" },
  ],
  [
    "more replicas at least than at most",
    { models: { chat: { ...chat, replicas: { min: 3, max: 2 } } } },
    { path: "models.chat.replicas.max", fix: "write max: 3" },
  ],
  [
    "two models of one served name",
    { models: { ...models, other: { ...chat, servedName: "chat" } } },
    { path: "models.other.servedName", allowed: "models.chat answers", fix: "chat-2" },
  ],
  ...["$(HOME) {{ .x }} %s", 'a b/c"d', "a/b/c", "x".repeat(81)].map((servedName): (typeof cases)[number] => [
    `a served name that Ollama would refuse: ${servedName}`,
    { models: { chat: { ...ollama, servedName } } },
    { path: "models.chat.servedName", allowed: "[namespace/]name[:tag]", fix: "write for example" },
  ]),
  [
    "a served name that Kubernetes would expand",
    { models: { chat: { ...chat, servedName: "llama-$(HOME)" } } },
    { path: "models.chat.servedName", allowed: "without $(", fix: "write for example llama-HOME" },
  ],
  ...["main", "edge", "LATEST"].map((tag): (typeof cases)[number] => [
    `the moving tag ${tag}`,
    { modelControl: { ...control, image: `ghcr.io/your-org/control:${tag}` } },
    { path: "modelControl.image", allowed: "not a tag that moves", fix: "ghcr.io/your-org" },
  ]),
  [
    "a pool that does not exist",
    { models: { chat: { ...chat, pools: ["gpus"] } } },
    { path: "models.chat.pools[0]", fix: 'did you mean "gpu"?' },
  ],
  [
    "a pool that is another's",
    { pools: { gpu: { ...gpu, dedicatedTo: ["chat"] } }, models: { chat, b: { ...chat, pools: ["gpu"] } } },
    { path: "models.b.pools[0]", allowed: "dedicated to chat", fix: "add b to pools.gpu.dedicatedTo" },
  ],
  [
    "more tensor parallelism than GPUs",
    { models: { chat: { ...chat, vllm: { tensorParallel: 4 } } } },
    { path: "models.chat.vllm.tensorParallel", allowed: "1 to 2", fix: "pipelineParallel" },
  ],
  ["self-signed in production", { stage: "production" }, { path: "gateway.tls.kind", fix: "acme" }],
  [
    "a common label that selects pods",
    { commonLabels: { "app.kubernetes.io/name": "x" } },
    { path: 'commonLabels["app.kubernetes.io/name"]', allowed: "objects would be selected", fix: "example.com/name" },
  ],
  [
    "a common label of ours",
    { commonLabels: { "inference-stacks.io/model": "x" } },
    { path: 'commonLabels["inference-stacks.io/model"]', allowed: "the platform", fix: "example.com/model" },
  ],
  [
    "a common label that puts everything into Grafana",
    { commonLabels: { grafana_dashboard: "1" } },
    { path: "commonLabels.grafana_dashboard", fix: "example.com/grafana_dashboard" },
  ],
  [
    "a common label whose value is none",
    { commonLabels: { "example.com/team": "a b" } },
    { path: 'commonLabels["example.com/team"]', allowed: "a Kubernetes label value", fix: "blue" },
  ],
  [
    "a common label whose key is none",
    { commonLabels: { "-team": "blue" } },
    { path: "commonLabels.-team", allowed: "a Kubernetes label key", fix: "rename it" },
  ],
  [
    "a consumer twice",
    { gateway: { ...gateway, consumers: ["a", "a"] } },
    { path: "gateway.consumers[1]", fix: "remove it" },
  ],
  [
    "more quotas than one policy holds",
    { gateway: { ...gateway, consumers: manyConsumers(129) } },
    { path: "gateway.consumers", allowed: "at most 256", fix: "share a consumer" },
  ],
  [
    "chats of a base model",
    { models: { chat: { model: "llama-3.1-8b", task: "chat" } } },
    { path: "models.chat.task", allowed: "completion", fix: "vllm.chatTemplate" },
  ],
  [
    "a limit of tokens where nobody counts them",
    {
      models: { chat, drafts: { ...chat, engine: "triton", task: "completion", contextTokens: 2048, concurrency: 2 } },
      gateway: {
        ...gateway,
        consumers: { web: { tokensPerMinute: 1000 }, batch: { models: ["chat"], tokensPerMinute: 1000 } },
      },
    },
    { path: "gateway.consumers.web.tokensPerMinute", allowed: "the tokens of drafts", fix: "requestsPerMinute" },
  ],
  [
    "a pause longer than the answer",
    { gateway: { ...gateway, requestTimeoutSeconds: 60, streamIdleTimeoutSeconds: 90 } },
    { path: "gateway.streamIdleTimeoutSeconds", allowed: "60", fix: "90" },
  ],
  [
    "a drain longer than any request",
    { gateway: { ...gateway, drainSeconds: 3601 } },
    { path: "gateway.drainSeconds", allowed: "3600", fix: "raise requestTimeoutSeconds to 3601" },
  ],
  [
    "a model control API without an image",
    { modelControl: { enabled: true } },
    { path: "modelControl.image", allowed: "pinned image", fix: "services/model-control" },
  ],
  [
    "an image with a moving tag",
    { modelControl: { enabled: true, image: "ghcr.io/your-org/control:latest" } },
    { path: "modelControl.image", allowed: "not a tag that moves", fix: "ghcr.io/your-org" },
  ],
  [
    "an image without a tag",
    { modelControl: { enabled: true, image: "ghcr.io/your-org/control" } },
    { path: "modelControl.image", allowed: "registry/repository:tag", fix: "ghcr.io/your-org" },
  ],
  [
    "a model control API at the models' address",
    { modelControl: { ...control, hostname: gateway.hostname } },
    { path: "modelControl.hostname", fix: "control.inference.example.com" },
  ],
  [
    "warm models without an engine that fetches",
    { models: { chat }, modelControl: { ...control, warmModels: ["llama3.2:1b"] } },
    { path: "modelControl.warmModels", fix: "engine: ollama" },
  ],
  [
    "warm models on an engine that sleeps",
    {
      models: { small: { model: "llama-3.2-3b-instruct", engine: "ollama", replicas: { min: 0 } } },
      modelControl: { ...control, warmModels: ["llama3.2:1b"] },
    },
    { path: "modelControl.warmModels", fix: "models.small.replicas.min: 1" },
  ],
  [
    "Ollama's API without an Ollama",
    { models: { chat }, modelControl: { ...control, ollamaApi: true } },
    { path: "modelControl.ollamaApi", fix: "add a model with engine: ollama" },
  ],
  [
    "Ollama's API while nobody answers for it",
    { models: { a: ollama }, modelControl: { ollamaApi: true } },
    { path: "modelControl.ollamaApi", allowed: "while the API is off", fix: "enabled: true" },
  ],
  [
    "asynchronous inference while the API is off",
    { modelControl: { inference: { enabled: true } } },
    { path: "modelControl.inference.enabled", allowed: "without the API", fix: "modelControl.enabled: true" },
  ],
  [
    "answers that are longer by default than at most",
    { modelControl: { ...control, inference: { enabled: true, tokens: { default: 900, max: 800 } } } },
    { path: "modelControl.inference.tokens.default", allowed: "which is 800", fix: "default: 800" },
  ],
  [
    "answers that take longer by default than at most",
    { modelControl: { ...control, inference: { enabled: true, answerSeconds: { max: 60 } } } },
    { path: "modelControl.inference.answerSeconds.default", allowed: "which is 60", fix: "default: 60" },
  ],
  [
    "a caller that may keep all others out",
    { modelControl: { ...control, inference: { enabled: true, queued: 50 } } },
    { path: "modelControl.inference.queuedPerCaller", allowed: "which is 50", fix: "queuedPerCaller: 10" },
  ],
  [
    "a task that is forgotten while it waits for its model",
    { modelControl: { ...control, inference: { enabled: true, lifeSeconds: 120 } } },
    { path: "modelControl.inference.lifeSeconds", allowed: "at least the 300 seconds", fix: "lifeSeconds: 300" },
  ],
  [
    "a key twice",
    { modelControl: { ...control, inference: { enabled: true, keys: ["a", "b", "a"] } } },
    { path: "modelControl.inference.keys[2]", allowed: "each key once", fix: "remove it" },
  ],
  [
    "more prompts than a task queue holds",
    { modelControl: { ...control, inference: { enabled: true, queued: 50_000 } } },
    { path: "modelControl.inference.queued", allowed: "at most 8192 MiB of the task queue's memory", fix: "queued: 2" },
  ],
  [
    "more answers than a task queue holds",
    { modelControl: { ...control, inference: { enabled: true, keepSeconds: 604_800, concurrency: 256 } } },
    { path: "modelControl.inference.queued", allowed: "answers of 256 at a time", fix: "lower keepSeconds" },
  ],
  [
    "idle times while the API is off",
    { modelControl: { idle: { seconds: 900 } } },
    { path: "modelControl.idle", allowed: "without the API", fix: "modelControl.enabled: true" },
  ],
  [
    "an idle time in which no task sees the model that it had loaded",
    { modelControl: { ...control, inference: { enabled: true }, idle: { seconds: 9 } } },
    { path: "modelControl.idle.seconds", allowed: "at least 10 seconds", fix: "write 10" },
  ],
  [
    "the same of a single model",
    {
      modelControl: {
        ...control,
        inference: { enabled: true, wait: { seconds: 60 } },
        idle: { seconds: 120, models: { a: 119, b: "never" } },
      },
    },
    { path: "modelControl.idle.models.a", allowed: "at least 120 seconds", fix: "write 120" },
  ],
  [
    "an idle time in words",
    { modelControl: { ...control, idle: { models: { "llama3.2:1b": "an hour" } } } },
    { path: 'modelControl.idle.models["llama3.2:1b"]', allowed: "never", fix: "" },
  ],
  [
    "a warm model of a registry that is not allowed",
    { modelControl: { ...control, warmModels: ["llama3.2:1b", "hf.co/org/name:Q4_K_M"] } },
    { path: "modelControl.warmModels[1]", fix: "add hf.co to modelControl.allowedRegistries" },
  ],
  [
    "a warm model twice",
    { modelControl: { ...control, warmModels: ["bge-m3", "bge-m3"] } },
    { path: "modelControl.warmModels[1]", allowed: "each model once", fix: "remove it" },
  ],
  [
    "a warm model that is a path",
    { modelControl: { ...control, warmModels: ["../secret"] } },
    { path: "modelControl.warmModels[0]", allowed: "as its registry names it", fix: "llama3.2:1b" },
  ],
  ...["169.254.169.254", "localhost:5000", "registry.model-store.svc"].map((host): (typeof cases)[number] => [
    `the registry ${host}`,
    { modelControl: { ...control, allowedRegistries: [host] } },
    { path: "modelControl.allowedRegistries[0]", allowed: "a registry's host outside of the cluster", fix: "hf.co" },
  ]),
  [
    "registries without that of a planned model",
    {
      models: { a: { ...ollama, source: "ollama://hf.co/org/name:Q4_K_M" } },
      modelControl: { ...control, allowedRegistries: ["registry.example"] },
    },
    {
      path: "modelControl.allowedRegistries",
      allowed: "registry.ollama.ai, hf.co",
      fix: "[registry.example, registry.ollama.ai, hf.co]",
    },
  ],
  ...["*", "llama?", "a/../llama-8b", "./llama-8b", "a/..", "\u0024{aws:username}", "a//b", "%2e%2e/b", "a b"].map(
    (prefix): (typeof cases)[number] => [
      `the bucket prefix ${prefix}, which opens more than one model`,
      { models: { a: { config: "./m/config.json", source: `s3://models/${prefix}` } } },
      { path: "models.a.source", allowed: 'no part of which is "." or ".."', fix: "" },
    ],
  ),
  [
    "a repository that is a way up",
    { models: { a: { ...chat, source: "hf://../model" } } },
    { path: "models.a.source", allowed: 'no part of which is "." or ".."', fix: "" },
  ],
  [
    "a model that lies in another one, by its domain",
    { models: { legal: chat, nested: { ...chat, domain: "legal" } } },
    {
      path: "models.nested",
      allowed: "a place that is not below legal/, where models.legal lies",
      fix: "rename models.legal, or give it a domain too",
    },
  ],
  [
    "a model that lies in another one, by its source",
    { models: { legal: chat, own: { config: "./m/config.json", source: "s3://models/legal/own/v2/" } } },
    { path: "models.own.source", allowed: "not below legal/", fix: "copy the model to s3://models/own and name that" },
  ],
  [
    "a model that lies in one of the bucket",
    {
      models: { own: { config: "./m/config.json", source: "s3://models/legal" }, nested: { ...chat, domain: "legal" } },
    },
    { path: "models.nested", allowed: "where models.own lies", fix: "rename models.own" },
  ],
  [
    "a model in the namespace of the model control API",
    { models: { control: chat } },
    { path: "models.control", allowed: "model-control is that of the model control API", fix: "rename it" },
  ],
];

describe("rules between fields", () => {
  it.each(cases)("find %s", (_, changes, { path, allowed = "", fix }) => {
    const problems = problemsWith(changes);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.allowed).toContain(allowed);
    expect(problems[0]?.fix).toContain(fix);
  });

  it.each([
    ["a cloud's shape behind a local kubeconfig", { cluster: { kind: "local" } }],
    [
      "a machine without GPU for Ollama",
      { cluster: { kind: "local" }, pools: { cpu: { role: "cpu", node: machine } }, models: { a: ollama } },
    ],
    [
      "a price of one's own",
      { cluster: { kind: "aws" }, pools: { gpu: { shape: "p5e.48xlarge", usdPerNodeHour: 50 } } },
    ],
    [
      "a pool with RDMA on its nodes' network, in blocks",
      {
        pools: {
          gpu: { shape: "BM.GPU.H100.8", rdma: { access: "host-network", topologyLabel: "example.com/block" } },
        },
      },
    ],
    ["a pool with RDMA", { pools: { gpu: { shape: "BM.GPU.H100.8", rdma: { access: "virtual-functions" } } } }],
    ["a pool that scales from zero", { pools: { gpu: { shape: "VM.GPU.A10.2", minNodes: 0 } } }],
    ["one model twice under two names", { models: { chat, other: chat } }],
    ["a model by its repository", { models: { chat: { model: "Qwen/Qwen2.5-7B-Instruct" } } }],
    [
      "an Ollama tag for a model without a known build",
      { models: { a: { model: "deepseek-v3", engine: "ollama", source: "ollama://deepseek-v3:671b" } } },
    ],
    [
      "a model control API",
      { modelControl: { ...control, warmModels: ["llama3.2:1b"], hostname: "control.example.com" } },
    ],
    ["Ollama's API", { models: { a: ollama }, modelControl: { ...control, ollamaApi: true } }],
    [
      "Ollama's API of an engine outside",
      {
        models: { chat },
        modelControl: {
          ...control,
          ollamaApi: true,
          workers: { tower: { backend: "ollama", url: "http://192.168.1.30:11434", memoryGiB: 24 } },
        },
      },
    ],
    [
      "its image by digest, from a registry with a port",
      { modelControl: { enabled: true, image: `registry.example:5000/control@sha256:${"a".repeat(64)}` } },
    ],
    [
      "answers and idle times while it is turned off",
      {
        modelControl: {
          ...control,
          enabled: false,
          inference: { enabled: true, queued: 50_000 },
          idle: { seconds: 900 },
        },
      },
    ],
    ["idle times of any length without tasks", { modelControl: { ...control, idle: { seconds: 1 } } }],
    ["other registries while it is off", { modelControl: { allowedRegistries: ["hf.co"] } }],
    ["a model of one's own", { models: { a: { config: "./m/config.json", source: "s3://models/m" } } }],
    [
      "its prefix with a slash at the end",
      { models: { a: { config: "./m/config.json", source: "s3://models/m.1/v_2/" } } },
    ],
    ["models beside one another", { models: { legal: chat, "legal-2": chat, b: { ...chat, domain: "law" } } }],
    ["two models of one prefix", { models: { legal: chat, again: { ...chat, source: "s3://models/legal" } } }],
    ["an Ollama model of a domain's name", { models: { legal: ollama, nested: { ...chat, domain: "legal" } } }],
    ["a revision that is a branch with a slash", { models: { a: { ...chat, source: "hf://org/name@refs/pr/1" } } }],
  ])("accept %s", (_, changes) => {
    expect(problemsWith(changes)).toEqual([]);
  });

  it("are silent about what is told already", () => {
    // The pool's shape is misspelt: nothing follows about its GPUs, its provider or models that use it.
    const problems = problemsWith({
      pools: { gpu: { shap: "VM.GPU.A10.2" } },
      models: { chat: { ...chat, pools: ["gpu"], vllm: { tensorParallel: 2 } } },
    });
    expect(problems.map(({ path }) => path)).toEqual(["pools.gpu.shap"]);
  });

  it.each([
    ["bge-reranker-v2-m3", "vllm, triton"],
    ["bge-m3", "vllm, ollama, triton, ray"],
    ["qwen2.5-7b-instruct", "vllm, ollama, ray"],
  ])("offer for a legacy engine in production what serves the task of %s: %s", (model, engines) => {
    const allowed = problemsWith({ stage: "production", models: { a: { model, engine: "tgi" } } }).flatMap((problem) =>
      problem.path === "models.a.engine" ? problem.allowed : [],
    );
    expect(allowed).toContainEqual(expect.stringContaining(`in production ${engines}: TGI is a legacy engine`));
  });

  it("fill in derived bounds", () => {
    const parsed = parseWith({
      pools: { gpu: { shape: "VM.GPU.A10.2", minNodes: 3 } },
      models: { chat: { ...chat, replicas: { min: 2 } } },
    });
    expect(parsed).toMatchObject({
      environment: { pools: { gpu: { maxNodes: 3 } }, models: { chat: { replicas: { min: 2, max: 2 } } } },
    });
  });
});
