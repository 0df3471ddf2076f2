/** `pools.<name>.node`: cards of the catalogue, and any other by its memory. */
import { describe, expect, it } from "vitest";
import { machineOf } from "../../../stacks/config/core/machines";
import { parseWith, problemsWith } from "./samples";

const host = { vcpus: 32, memoryGiB: 128 };
const withNode = (node: object) => ({ cluster: { kind: "local" }, pools: { gpu: { node: { ...host, ...node } } } });
const told = (node: object) => problemsWith(withNode(node)).map(({ path, fix }) => ({ path, fix }));

describe("node.gpuMemoryGiB", () => {
  it("declares any card, with or without a name, and of either vendor", () => {
    for (const node of [
      { card: "v100-32gb", gpuCount: 4, gpuMemoryGiB: 32 },
      { gpuCount: 1, gpuMemoryGiB: 20, gpuVendor: "amd" },
    ]) {
      expect(told(node)).toEqual([]);
      const parsed = parseWith(withNode(node));
      const pool = parsed.ok ? parsed.environment.pools.gpu : undefined;
      expect(pool && machineOf(pool).gpu).toMatchObject({ count: node.gpuCount, memoryGiB: node.gpuMemoryGiB });
    }
  });

  it("is what an unknown card lacks, and takes a count", () => {
    const [problem] = problemsWith(withNode({ card: "some-new-card", gpuCount: 1 }));
    expect(problem?.path).toBe("pools.gpu.node.card");
    expect(problem?.allowed).toContain("gpuMemoryGiB");
    expect(told({ gpuMemoryGiB: 20 })).toContainEqual({ path: "pools.gpu.node.gpuCount", fix: "add gpuCount: 1" });
  });

  it("knows the vendor of cards that the catalogue has", () => {
    expect(told({ card: "rtx-4090", gpuCount: 1, gpuMemoryGiB: 24, gpuVendor: "amd" })).toEqual([
      { path: "pools.gpu.node.gpuVendor", fix: "remove it" },
    ]);
  });

  it("declares no accelerator that is not served", () => {
    expect(told({ card: "gaudi2", gpuCount: 8, gpuMemoryGiB: 96 }).map(({ path }) => path)).toEqual([
      "pools.gpu.node.card",
    ]);
  });
});
