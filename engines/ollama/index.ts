import { type Engine, semanticVersionOf } from "../engine";

export const OLLAMA_PORT = 11434;

/** Ollama: llama.cpp with a registry of its own, on GPUs and CPUs. It has no metrics. */
export const ollama: Engine = {
  label: "Ollama",
  images: { nvidia: "ollama", amd: "ollama-rocm", cpu: "ollama" },
  versionOf: semanticVersionOf,
  sources: ["ollama"],
  weightsFrom: "registry",
  tasks: ["chat", "completion", "embedding"],
  // What its library builds of a tag that names no quantization.
  defaultQuantization: "Q4_K_M",
  preallocatesGpuMemory: false,
  // llama.cpp only maps the file.
  warmUpSeconds: 15,
  // The program that loads the model: 66 MiB resident on Node 20 with tsx, measured 2026-11-22.
  sidecar: { cpu: 0.125, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
  ports: { openai: OLLAMA_PORT },
  // Its API answers with an empty disk too: that the model is loaded, the loader beside it says.
  health: { alive: "/", ready: "/api/version" },
};
