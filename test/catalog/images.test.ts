import { describe, expect, it } from "vitest";
import { image, imageEntry, imageSupports, images } from "../../catalog/images";

describe("images", () => {
  it("are referenced by tag, and by digest where it is known", () => {
    expect(image("ollama")).toMatch(/^docker\.io\/ollama\/ollama:0\.32\.15@sha256:[0-9a-f]{64}$/);
    expect(image("vllm-cuda-0.30")).toMatch(/^docker\.io\/vllm\/vllm-openai:v0\.30\.0@sha256:[0-9a-f]{64}$/);
  });

  it("name the default engines in their pinned versions", () => {
    expect(image("vllm-cuda")).toMatch(/^docker\.io\/vllm\/vllm-openai:v0\.33\.0(@|$)/);
    expect(image("vllm-rocm")).toMatch(/^docker\.io\/vllm\/vllm-openai-rocm:v0\.33\.0-rocm72(@|$)/);
    expect(imageEntry("vllm-cuda").confidence).toBe("inferred");
  });

  it("say which CPU architectures they run on", () => {
    expect(imageSupports("ollama", "arm64")).toBe(true);
    expect(imageSupports("ollama-rocm", "arm64")).toBe(false);
  });

  it("all run on amd64", () => {
    expect(images.filter(({ component }) => !imageSupports(component, "amd64"))).toEqual([]);
  });

  it("refuse an unknown component with the nearest known one", () => {
    expect(() => image("vllm-cude")).toThrow('unknown image "vllm-cude": did you mean "vllm-cuda"?');
    expect(() => imageSupports("nope", "arm64")).toThrow("unknown image");
  });
});
