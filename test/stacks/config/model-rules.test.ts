import { ruleCases } from "./rule-cases";
import { rightEnvironment } from "./samples";

const { models } = rightEnvironment;
const gpu = { shape: "VM.GPU.A10.2", maxNodes: 4 };
const chat = { model: "qwen2.5-7b-instruct" };
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };
const control = { enabled: true, image: "ghcr.io/your-org/control:1.0.0" };

ruleCases([
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
]);
