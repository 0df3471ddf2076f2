import { describe, expect, it } from "vitest";
import { cards, gpuModels, shapes } from "../../../../catalog/shapes";
import { cardTraits } from "../../../../engines/vllm/memory/cards";
import { estimateVllm } from "../../../../engines/vllm/memory/estimate";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const traits = (gpuModel: string | undefined, gpuMemoryGiB = 80) => cardTraits({ gpuModel, gpuMemoryGiB });

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");
const estimated = (gpuModel: string | undefined, gpuMemoryGiB = 79.19) =>
  estimateVllm(memoryRequest(llama, { gpuModel, gpuMemoryGiB, tensorParallel: 4 }));

describe("what the memory rules take from a card", () => {
  it.each([
    ["NVIDIA H100 80GB HBM3", true, "triton"],
    ["NVIDIA H100 80GB SXM", true, "triton"],
    ["NVIDIA H100 PCIe", false, "triton"],
    ["NVIDIA H200", true, "triton"],
    ["NVIDIA H800", true, "triton"],
    ["NVIDIA H20", true, "triton"],
    ["NVIDIA H100 NVL", false, "triton"],
    ["NVIDIA A800-SXM4-80GB", true, "marlin"],
    ["NVIDIA A800 80GB PCIe", false, "marlin"],
    ["NVIDIA A100-PCIE-40GB", false, "marlin"],
    ["NVIDIA A100 80GB PCIe", false, "marlin"],
    ["NVIDIA A100-SXM4-80GB", true, "marlin"],
    ["NVIDIA A100-SXM4-40GB", true, "marlin"],
    ["NVIDIA B200", true, "tensorrt-llm"],
    ["NVIDIA GB200", true, "tensorrt-llm"],
    ["NVIDIA GeForce RTX 5090", false, "marlin"],
    ["NVIDIA RTX A6000", false, "marlin"],
    ["NVIDIA L40S", false, "marlin"],
    ["AMD Instinct MI300X", false, "triton-rocm"],
  ])("%s is in the catalogue: NVLink %s, MXFP4 experts on %s", (name, linked, expertKernel) => {
    expect(traits(name)).toMatchObject({ linked, expertKernel, known: true });
  });

  it.each([
    ["NVIDIA H100 80GB HBM3", "nvidia", 9],
    ["NVIDIA L40S", "nvidia", 8],
    ["NVIDIA B200", "nvidia", 10],
    ["NVIDIA GeForce RTX 5090", "nvidia", 12],
    ["AMD Instinct MI300X", "amd", 0],
    ["nonsense card", undefined, 0],
  ])("%s: vendor %s, generation %d", (name, vendor, generation) => {
    const { vendor: found, generation: ofCard } = traits(name);
    expect([found, ofCard]).toEqual([vendor, generation]);
  });

  it("takes what needs more memory where a name means several cards", () => {
    expect(traits("H100").linked).toBe(true);
  });

  it.each(["Intel Gaudi 3", "nonsense card", undefined])(
    "%s is not: its memory decides, and the estimate says so",
    (name) => {
      expect(traits(name, 79)).toMatchObject({ linked: true, known: false });
      expect(traits(name, 48)).toMatchObject({ linked: false, known: false });
      expect(estimated(name).notes.join()).toMatch(
        /^(no card is named|the catalogue has no card ".*"): it is taken for one like the H100, with NVLink/,
      );
      expect(estimated("NVIDIA H100 80GB HBM3").notes).toEqual([]);
    },
  );

  it("leaves an H100 PCIe the buffers that only NVLink needs: 1.56 GiB on four cards", () => {
    const [pcie, sxm] = [estimated("NVIDIA H100 PCIe"), estimated("NVIDIA H100 80GB SXM")];
    expect(pcie.kvPoolGiB - sxm.kvPoolGiB).toBeCloseTo(2.16 - 0.6, 6);
  });

  it("agrees with the shapes and cards: NVLink in a machine only where the board has it, and always there", () => {
    const boards = gpuModels.filter(({ nvlinkBoard }) => nvlinkBoard).map(({ model }) => model);
    const linked = [
      ...shapes.flatMap(({ gpu }) => (gpu?.nvlink ? [gpu.model] : [])),
      ...cards.flatMap(({ gpu, nvlink }) => (nvlink ? [gpu] : [])),
    ];
    expect([...new Set(linked)].sort()).toEqual([...boards].sort());
  });
});
