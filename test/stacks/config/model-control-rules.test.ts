import { type RuleCase, ruleCases } from "./rule-cases";
import { rightEnvironment } from "./samples";

const { gateway } = rightEnvironment;
const chat = { model: "qwen2.5-7b-instruct" };
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };
const control = { enabled: true, image: "ghcr.io/your-org/control:1.0.0" };

ruleCases([
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
  ...["169.254.169.254", "localhost:5000", "registry.model-store.svc"].map(
    (host): RuleCase => [
      `the registry ${host}`,
      { modelControl: { ...control, allowedRegistries: [host] } },
      { path: "modelControl.allowedRegistries[0]", allowed: "a registry's host outside of the cluster", fix: "hf.co" },
    ],
  ),
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
  ...["main", "edge", "LATEST"].map(
    (tag): RuleCase => [
      `the moving tag ${tag}`,
      { modelControl: { ...control, image: `ghcr.io/your-org/control:${tag}` } },
      { path: "modelControl.image", allowed: "not a tag that moves", fix: "ghcr.io/your-org" },
    ],
  ),
]);
