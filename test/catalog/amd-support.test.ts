import { describe, expect, it } from "vitest";
import { gfxOfOverride } from "../../catalog/gfx";
import { images } from "../../catalog/images";
import { leastRocmDriver } from "../../catalog/rocm-drivers";
import { cards, gpuModels } from "../../catalog/shapes";
import { engineImageName, engineNames } from "../../engines";

const ofAmd = gpuModels.flatMap(({ vendor, model, abilities, support }) =>
  vendor === "amd" ? [{ model, gfx: abilities?.gfx, support }] : [],
);

/** Targets that an engine's image has code for. */
function targetsOf(engine: string): readonly string[] {
  const name = engineNames.find((each) => each === engine);
  const image = name && engineImageName(name, "amd");
  return images.find(({ component }) => component === image)?.gpus?.gfx ?? [];
}

describe("cards of AMD", () => {
  it("all say what AMD and the engines make of them, and no other card does", () => {
    expect(ofAmd.filter(({ support, gfx }) => support === undefined || gfx === undefined)).toEqual([]);
    expect(gpuModels.filter(({ vendor, support }) => vendor !== "amd" && support !== undefined)).toEqual([]);
  });

  it.each(ofAmd)("$model names engines whose image has code for it, and all of them", ({ gfx, support }) => {
    const runsAs = support?.hsaOverride === undefined ? gfx : gfxOfOverride(support.hsaOverride);
    const able = engineNames.filter((engine) => targetsOf(engine).includes(runsAs ?? ""));
    expect(support?.engines).toEqual(able);
  });

  it.each(ofAmd.filter(({ support }) => support?.hsaOverride))(
    "$model has an override because no image has its own target",
    ({ gfx, support }) => {
      expect(engineNames.filter((engine) => targetsOf(engine).includes(gfx ?? ""))).toEqual([]);
      expect(support?.rocm).toBe("unlisted");
    },
  );

  it("that AMD calls unsupported serve nothing, and have a source", () => {
    const unsupported = ofAmd.filter(({ support }) => support?.rocm === "no");
    expect(unsupported.length).toBeGreaterThan(0);
    expect(unsupported.flatMap(({ support }) => support?.engines ?? [])).toEqual([]);
    expect(ofAmd.filter(({ support }) => !/read 20\d\d-\d\d-\d\d/.test(support?.source ?? ""))).toEqual([]);
  });

  it("can be had for machines of one's own", () => {
    const known = new Set(cards.map(({ gpu }) => gpu));
    expect(ofAmd.filter(({ model }) => !known.has(model)).map(({ model }) => model)).toEqual([]);
  });
});

describe("names by which drivers report cards of NVIDIA", () => {
  it("are each of one card, or of cards that their memory tells apart", () => {
    const names = gpuModels.flatMap(({ reported, memoryGB }) =>
      (reported?.names ?? []).map((name) => `${name} ${memoryGB}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it("are known of every card for machines of one's own", () => {
    const models = new Set(cards.map(({ gpu }) => gpu));
    const unnamed = gpuModels.filter(
      ({ model, vendor, reported }) => models.has(model) && vendor === "nvidia" && !reported,
    );
    // Older than the list that was read.
    expect(unnamed.map(({ model }) => model)).toEqual(["NVIDIA V100 16GB"]);
  });
});

describe("kernel drivers of ROCm", () => {
  it("are known for every image that brings ROCm, and such images are those of AMD's cards", () => {
    const forAmd = engineNames.flatMap((engine) => engineImageName(engine, "amd") ?? []);
    const withRocm = images.filter(({ rocm }) => rocm !== undefined);
    expect(withRocm.map(({ component }) => component).sort()).toEqual(forAmd.sort());
    expect(withRocm.filter(({ rocm }) => leastRocmDriver(rocm ?? "") === undefined)).toEqual([]);
  });
});
