import { imageEntry } from "./images";

/** What a pod computes on. */
export type Processor = "nvidia" | "amd" | "cpu";

/** Catalogue images of the engines, by what they compute on; an engine that lacks one does not run there. */
const IMAGES: Readonly<Record<"ollama" | "vllm", Partial<Record<Processor, string>>>> = {
  ollama: { nvidia: "ollama", amd: "ollama-rocm", cpu: "ollama" },
  vllm: { nvidia: "vllm-cuda", amd: "vllm-rocm" },
};

/** Catalogue name of an engine's image; undefined where the engine does not run. */
export function engineImageName(engine: keyof typeof IMAGES, processor: Processor): string | undefined {
  return IMAGES[engine][processor];
}

/** Processors that an engine has an image for. */
export function engineProcessors(engine: keyof typeof IMAGES): readonly string[] {
  return Object.keys(IMAGES[engine]);
}

/** Version of an engine that the platform pins: the version in its image's tag. */
export function engineVersion(engine: keyof typeof IMAGES): string {
  const { tag } = imageEntry(IMAGES[engine].nvidia ?? engine);
  return tag.replace(/^v/, "");
}
