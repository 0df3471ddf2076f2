import { imageEntry } from "./images";

/** Version of an engine that the platform pins: the version in its image's tag. */
export function engineVersion(engine: "ollama" | "vllm"): string {
  const { tag } = imageEntry(engine === "vllm" ? "vllm-cuda" : "ollama");
  return tag.replace(/^v/, "");
}
