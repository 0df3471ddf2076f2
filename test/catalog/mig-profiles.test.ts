import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { migGpuModels, migLayout, migProfile, migProfilesOf, unreadMig } from "../../catalog/mig-profiles";
import { gpuModels } from "../../catalog/shapes";
import { repositoryRoot } from "../../names/repository-root";

const table = JSON.parse(readFileSync(join(repositoryRoot(), "catalog/mig-profiles.json"), "utf8"));

describe("MIG profiles", () => {
  it("are of cards of the catalogue, each once, with or without profiles", () => {
    const named = [...migGpuModels, ...table.unread.map(({ gpu }: { gpu: string }) => gpu)];
    const known = gpuModels.map(({ model }) => model);
    expect(named.filter((name, i) => !known.includes(name) || named.indexOf(name) !== i)).toEqual([]);
  });

  it("are said of every NVIDIA card whose chip has MIG, and of no other", () => {
    // By NVIDIA's MIG user guide ("supported GPUs"): GA100, GH100, GB100, and of Ada and Ampere's other chips none.
    const withMig = gpuModels.filter(
      ({ vendor, arch, model }) =>
        vendor === "nvidia" &&
        (/A[18]00|H[128]00|H20|GB200|B200|RTX PRO (6000|4500)/.test(model) || arch === "hopper") &&
        !/RTX A/.test(model),
    );
    const said = gpuModels.filter(({ model }) => migProfilesOf(model).length > 0 || unreadMig(model) !== undefined);
    expect(said.map(({ model }) => model).sort()).toEqual(withMig.map(({ model }) => model).sort());
  });

  it.each(migGpuModels)("%s holds what its slices have together", (name) => {
    const card = gpuModels.find(({ model }) => model === name);
    for (const { perGpu, memoryGiB, memoryGB, compute, name: profile } of migProfilesOf(name)) {
      expect({ profile, fits: perGpu * memoryGiB <= (card?.memoryGiB ?? 0) }).toEqual({ profile, fits: true });
      expect(perGpu * compute.slices).toBeLessThanOrEqual(compute.of);
      expect(profile).toBe(`${compute.slices}g.${memoryGB}gb`);
      // What the driver says is no more than the name does, and not far from it: a slip of the keyboard would show.
      expect(memoryGiB * 1.073741824).toBeLessThanOrEqual(memoryGB * 1.12);
      expect(memoryGiB).toBeGreaterThan(memoryGB * 0.85);
    }
  });

  it("have one layout each, that no other profile of the card has", () => {
    expect(migProfile("NVIDIA H100 PCIe", "all-1g.10gb")).toMatchObject({ perGpu: 7, memoryGiB: 9.75 });
    expect(migProfile("NVIDIA A10", "all-1g.10gb")).toBeUndefined();
    for (const name of migGpuModels) {
      const layouts = migProfilesOf(name).map(migLayout);
      expect(new Set(layouts).size).toBe(layouts.length);
    }
  });
});
