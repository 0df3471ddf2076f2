import { formatNames, isGgufName } from "../../planner/model/format-names";
import { statedFileType } from "../../planner/model/weights-name";
import { type Engine, semanticVersionOf } from "../engine";
import { estimateOllama, inFlightTokens, usualFileType } from "./memory";
import { ollamaOptions, ollamaVersionProblems } from "./options";
import { ollamaMostAtOnce } from "./parallel";
import { ollamaSettings } from "./settings";
import { ollamaSharedServer } from "./shared-server";

/**
 * Ollama model name: namespace, name and tag of up to 80 characters (ollama 0.32,
 * types/model/name.go).
 */
const NAME = /^([A-Za-z0-9_][\w.-]{0,79}\/)?[A-Za-z0-9_][\w.-]{0,79}(:[A-Za-z0-9_][\w.-]{0,79})?$/;

export const OLLAMA_PORT = 11434;

/** Models hosted by Ollama, disabled in pods (OLLAMA_NO_CLOUD). */
const HOSTED = /[:-]cloud$/;
const HOSTED_FAULT = {
  allowed: "a build that pods download: tags that end in cloud run on servers of ollama.com",
  fix: "write the tag of a build with its size, for example ollama://gpt-oss:120b",
};

/** Tokens per compute step in the estimate (`num_batch`). */
export { inFlightTokens as BATCH_TOKENS } from "./memory";

/** Ollama: llama.cpp with its own registry, on GPUs and CPUs. It has no metrics. */
export const ollama: Engine = {
  label: "Ollama",
  summary: "Ollama serves GGUF builds of its own registry, on GPUs of one node and on CPUs.",
  images: { nvidia: "ollama", amd: "ollama-rocm", cpu: "ollama" },
  versionOf: semanticVersionOf,
  sources: ["ollama"],
  weightsFrom: "registry",
  tasks: ["chat", "completion", "embedding"],
  // Default format of its library's tags and of Hugging Face repositories.
  defaultQuantization: "Q4_K_M",
  usualFormat: usualFileType,
  sourceFault: (source) => (source.kind === "ollama" && HOSTED.test(source.tag) ? HOSTED_FAULT : undefined),
  formatNamed: (source) => (source.kind === "ollama" ? statedFileType(source.tag) : undefined),
  formats: { names: formatNames.filter(isGgufName), takes: isGgufName },
  servedNames: {
    pattern: NAME,
    allowed: "a name that Ollama takes: [namespace/]name[:tag] of letters, digits, _, - and .",
  },
  options: ollamaOptions,
  variablePrefix: "OLLAMA_",
  settings: ollamaSettings,
  memoryByVersion: false,
  versionProblems: ollamaVersionProblems,
  // llama.cpp spreads whole layers over GPUs of one node, one pipeline stage each.
  parallelism: { tensor: false, overNodes: false },
  kernelsOf: "llama.cpp",
  mostAtOnce: ollamaMostAtOnce,
  // OLLAMA_NUM_PARALLEL: each request has a separate part of the cache.
  batchLimits: ({ concurrency }) => ({ sequences: concurrency }),
  estimate: estimateOllama,
  windowMargin: () => ({ tokens: inFlightTokens, text: "one batch" }),
  sharedServer: ollamaSharedServer,
  preallocatesGpuMemory: false,
  // llama.cpp only maps the file.
  warmUpSeconds: 15,
  // Model loader: 66 MiB resident on Node 20 with tsx, measured 2026-11-22.
  sidecar: { cpu: 0.125, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  // llama-server reuses the slot with the longest common prefix, for any client; embeddings keep
  // none.
  prefixReuse: ({ task }) => (task === "embedding" ? "none" : "shared"),
  ports: { openai: OLLAMA_PORT },
  // The API answers even without models; the loader sidecar reports the model's readiness.
  health: { alive: "/", ready: "/api/version" },
};
