import { type RuleCase, ruleCases } from "./rule-cases";
import { rightEnvironment } from "./samples";

const { models } = rightEnvironment;
const gpu = { shape: "VM.GPU.A10.2", maxNodes: 4 };
const chat = { model: "qwen2.5-7b-instruct" };
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };

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
  ...["$(HOME) {{ .x }} %s", 'a b/c"d', "a/b/c", "x".repeat(81)].map(
    (servedName): RuleCase => [
      `a served name that Ollama would refuse: ${servedName}`,
      { models: { chat: { ...ollama, servedName } } },
      { path: "models.chat.servedName", allowed: "[namespace/]name[:tag]", fix: "write for example" },
    ],
  ),
  [
    "a served name that Kubernetes would expand",
    { models: { chat: { ...chat, servedName: "llama-$(HOME)" } } },
    { path: "models.chat.servedName", allowed: "without $(", fix: "write for example llama-HOME" },
  ],
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
  ...["*", "llama?", "a/../llama-8b", "./llama-8b", "a/..", "\u0024{aws:username}", "a//b", "%2e%2e/b", "a b"].map(
    (prefix): RuleCase => [
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
]);
