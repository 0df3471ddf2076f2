import { formatNames, isGgufName } from "../../planner/model/format-names";
import { statedFileType } from "../../planner/model/weights-name";
import { type Engine, semanticVersionOf } from "../engine";
import { estimateOllama, inFlightTokens, usualFileType } from "./memory";
import { ollamaOptions, ollamaVersionProblems } from "./options";
import { ollamaMostAtOnce } from "./parallel";
import { ollamaSettings } from "./settings";
import { ollamaSharedServer } from "./shared-server";

/** A model as Ollama names it: namespace, name and tag of up to 80 characters (ollama 0.32, types/model/name.go). */
const NAME = /^([A-Za-z0-9_][\w.-]{0,79}\/)?[A-Za-z0-9_][\w.-]{0,79}(:[A-Za-z0-9_][\w.-]{0,79})?$/;

export const OLLAMA_PORT = 11434;

/** Of models that run on servers of Ollama's own, which pods are told not to use (OLLAMA_NO_CLOUD). */
const HOSTED = /[:-]cloud$/;
const HOSTED_FAULT = {
  allowed: "a build that pods download: tags that end in cloud run on servers of ollama.com",
  fix: "write the tag of a build with its size, for example ollama://gpt-oss:120b",
};

/** Tokens per compute step that the memory figure counts (`num_batch`). */
export { inFlightTokens as BATCH_TOKENS } from "./memory";

/** Ollama: llama.cpp with a registry of its own, on GPUs and CPUs. It has no metrics. */
export const ollama: Engine = {
  label: "Ollama",
  summary: "Ollama serves GGUF builds of its own registry, on GPUs of one node and on CPUs.",
  images: { nvidia: "ollama", amd: "ollama-rocm", cpu: "ollama" },
  versionOf: semanticVersionOf,
  sources: ["ollama"],
  weightsFrom: "registry",
  tasks: ["chat", "completion", "embedding"],
  // What its library builds of a tag that states no format, and what it takes of a repository on Hugging Face.
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
  // llama.cpp spreads whole layers over the GPUs of one node: a pipeline of that many stages.
  parallelism: { tensor: false, overNodes: false },
  kernelsOf: "llama.cpp",
  mostAtOnce: ollamaMostAtOnce,
  // OLLAMA_NUM_PARALLEL: each has a part of the cache of its own.
  batchLimits: ({ concurrency }) => ({ sequences: concurrency }),
  estimate: estimateOllama,
  windowMargin: () => ({ tokens: inFlightTokens, text: "one batch" }),
  sharedServer: ollamaSharedServer,
  preallocatesGpuMemory: false,
  // llama.cpp only maps the file.
  warmUpSeconds: 15,
  // The program that loads the model: 66 MiB resident on Node 20 with tsx, measured 2026-11-22.
  sidecar: { cpu: 0.125, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  // llama-server takes the slot whose last prompt begins like this one, whoever asked; embeddings keep nothing.
  prefixReuse: ({ task }) => (task === "embedding" ? "none" : "shared"),
  ports: { openai: OLLAMA_PORT },
  // Its API answers with an empty disk too: that the model is loaded, the loader beside it says.
  health: { alive: "/", ready: "/api/version" },
};
