import { describe, expect, it } from "vitest";
import { gpuModels } from "../../../../catalog/shapes";
import { evidenceFor } from "../../../../engines/vllm/memory/evidence";
import table from "../../../../engines/vllm/memory/evidence.json";
import { defaultArchitecture } from "../../../planner/model/families/compare";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

function traits(gpuModel: string | undefined, version = "0.33.0") {
  return evidenceFor(memoryRequest(llama, { gpuModel, engine: { version } })).traits;
}

describe("what is measured", () => {
  it.each([
    ["NVIDIA H100 80GB HBM3", "0.19.0", "nvidia", "measured", "measured"],
    ["NVIDIA H100 80GB HBM3", "0.19.1rc1", "nvidia", "measured", "measured"],
    ["NVIDIA H200 141GB SXM", "0.19.0", "nvidia", "measured", "measured"],
    ["NVIDIA H100 PCIe", "0.19.0", "nvidia", "unmeasured", "elsewhere"],
    ["NVIDIA H100 80GB HBM3", "0.33.0", "nvidia", "measured", "unmeasured"],
    ["NVIDIA L4", "0.8.5", "nvidia", "measured", "measured"],
    ["NVIDIA L40S", "0.19.0", "nvidia", "measured", "elsewhere"],
    ["NVIDIA B200", "0.19.0", "nvidia", "unmeasured", "elsewhere"],
    ["NVIDIA T4", "0.33.0", "nvidia", "unmeasured", "unmeasured"],
    ["AMD Instinct MI300X", "0.19.0", "amd", "unmeasured", "elsewhere"],
    ["nonsense card", "0.19.0", "unknown", "unmeasured", "elsewhere"],
    [undefined, "0.33.0", "unknown", "unmeasured", "unmeasured"],
    // several cards: all must be
    ["H100", "0.19.0", "nvidia", "unmeasured", "elsewhere"],
  ] as const)("%s with %s: vendor %s, card %s, release %s", (name, release, processor, card, version) => {
    expect(traits(name, release)).toMatchObject({ processor, card, version });
  });

  it.each([
    ["NVIDIA GeForce RTX 5090", "0.33.0", "loses"],
    ["NVIDIA RTX PRO 6000 Blackwell Server", "0.33.0", "loses"],
    ["NVIDIA H100 80GB SXM", "0.20.0", "keeps"],
    ["NVIDIA L4", "0.33.0", "unseen"],
    ["NVIDIA GeForce RTX 5090", "0.19.1", "none"],
    ["nonsense card", "0.33.0", "unseen"],
    [undefined, "0.33.0", "unseen"],
    // several cards: the worst of them
    ["H100", "0.33.0", "unseen"],
  ] as const)("first starts of %s with %s: %s", (name, release, firstStart) => {
    expect(traits(name, release).firstStart).toBe(firstStart);
  });

  it("is of cards that the catalogue has", () => {
    for (const card of [...table.firstStarts.loses, ...table.firstStarts.keeps]) {
      expect(gpuModels.map(({ model }) => model)).toContain(card);
    }
    for (const { card, versions, starts } of table.runs) {
      expect(gpuModels.map(({ model }) => model)).toContain(card);
      expect(versions.every((version) => /^0\.\d+$/.test(version))).toBe(true);
      expect(starts).toBeGreaterThanOrEqual(versions.length);
    }
  });

  it("holds for the kinds of model that were measured there", () => {
    const on = (name: string, gpuModel: string, version: string) =>
      evidenceFor(memoryRequest(fixtureArchitecture(name), { gpuModel, engine: { version } })).traits;
    const mixtral = "mistralai--Mixtral-8x7B-v0.1";
    const onHopper = on(mixtral, "NVIDIA H100 80GB HBM3", "0.19.0");
    expect(onHopper).toMatchObject({ version: "measured", experts: "measured" });
    // what changes with the release was seen there without experts, what their kernels take was not
    const onAda = on(mixtral, "NVIDIA GeForce RTX 4090", "0.10.0");
    expect(onAda).toMatchObject({ version: "measured", experts: "unmeasured" });
    expect(on("openai--gpt-oss-20b", "NVIDIA A100-SXM4-80GB", "0.19.0").version).toBe("measured");
    expect(on("meta-llama--Llama-3.1-8B", "NVIDIA A100-SXM4-80GB", "0.19.0").version).toBe("elsewhere");
  });

  it("tells attention, experts, format and layout", () => {
    const of = (name: string, changes = {}) => evidenceFor(memoryRequest(fixtureArchitecture(name), changes)).traits;
    expect(of("meta-llama--Llama-3.1-8B")).toMatchObject({ attention: "full", experts: "none", format: "measured" });
    expect(of("google--gemma-2-9b-it").attention).toBe("windows");
    expect(of("deepseek-ai--DeepSeek-V3")).toMatchObject({ attention: "latent", experts: "unmeasured" });
    expect(of("nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16").attention).toBe("recurrent");
    expect(of("BAAI--bge-m3").attention).toBe("none");
    expect(evidenceFor(memoryRequest(defaultArchitecture("deepseek_v4"))).traits.attention).toBe("compressed");
    expect(of("meta-llama--Llama-3.1-8B", { quantization: "nvfp4" }).format).toBe("unmeasured");
    expect(of("meta-llama--Llama-3.1-8B", { tensorParallel: 4, pipelineParallel: 2 }).layout).toBe("measured");
    expect(of("meta-llama--Llama-3.1-8B", { tensorParallel: 8 }).layout).toBe("unmeasured");
    expect(of("meta-llama--Llama-3.1-8B", { device: "cpu" }).processor).toBe("cpu");
  });
});
