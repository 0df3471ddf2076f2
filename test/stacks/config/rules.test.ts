import { describe, expect, it } from "vitest";
import { ruleCases } from "./rule-cases";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

const { pools, gateway } = rightEnvironment;
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

ruleCases([
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
    "a source alone",
    { models: { chat: { engine: "ollama", source: "ollama://qwen3:8b" } } },
    { path: "models.chat", fix: "says which model they are" },
  ],
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
    { path: "gateway.consumers.web.tokensPerMinute", allowed: "tokens of drafts", fix: "requestsPerMinute" },
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
  ["self-signed in production", { stage: "production" }, { path: "gateway.tls.kind", fix: "acme" }],
]);

describe("rules between fields", () => {
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
