import { cards, type GpuModel, gpuModels } from "./shapes";

/**
 * By card (`rtx-4090`, RTX4090), catalogue or driver name (`NVIDIA H100 80GB HBM3`), or part of it
 * (`H200`, `a100 80gb`). Several for `A100`, none if unknown.
 */
export function findGpus(name: string): readonly GpuModel[] {
  const model =
    cards.find((card) => card.name === name.toLowerCase() || joined(card.name) === name.toLowerCase())?.gpu ?? name;
  const exact = gpuModels.filter((gpu) => gpu.model.toLowerCase() === model.toLowerCase());
  if (exact.length > 0) {
    return exact;
  }
  // Drivers add the kind of memory, and the generation of the socket (SXM4).
  const words = wordsOf(model).filter((word) => !/^hbm\d/.test(word));
  const found = gpuModels.filter((gpu) => words.every((word) => wordsOf(gpu.model).includes(word)));
  return words.length === 0 ? [] : found;
}

function joined(name: string): string {
  return name.replaceAll("-", "");
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s_-]+/)
    .map((word) => word.replace(/^sxm\d$/, "sxm"))
    .filter(Boolean);
}
