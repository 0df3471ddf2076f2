import { describe, expect, it } from "vitest";
import { estimateVllm, windowMargin } from "../../../../engines/vllm/memory/estimate";
import type { VllmRequest } from "../../../../engines/vllm/memory/request";
import { fixtureArchitecture } from "../../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

describe("batches in flight", () => {
  const tokens = (version: string, pipelineParallel: number) =>
    windowMargin(memoryRequest(llama, { engine: { version }, pipelineParallel, vllm: { maxNumBatchedTokens: 1000 } }))
      .tokens;

  it.each([1, 2, 4])("are one per stage and one more with %i stages since 0.26.0", (stages) => {
    expect(tokens("0.26.0", stages)).toBe(1000 * (stages + 1));
    expect(tokens("0.33.0", stages)).toBe(1000 * (stages + 1));
  });

  it.each([1, 2, 4])("are a single one with %i stages before", (stages) => {
    expect(tokens("0.25.0", stages)).toBe(1000);
  });
});

describe("a card whose whole memory is the engine's budget", () => {
  const stages = (version: string, layout: Pick<VllmRequest, "tensorParallel" | "pipelineParallel">) =>
    estimateVllm(memoryRequest(llama, { ...layout, engine: { version }, gpuMemoryGiB: 80, utilization: 1 })).stages;
  /** What 0.19.0, which captures its graphs on top of the budget, has no use of on each GPU besides those graphs, GiB. */
  const contexts = (layout: Parameters<typeof stages>[1]) => {
    // 0.20.0 captures the same graphs within the budget.
    const graphs = stages("0.20.0", layout).map(({ overhead }) => overhead.graphsGiB);
    return stages("0.19.0", layout).map(({ limitGiB }, at) => 80 - limitGiB - (graphs[at] ?? Number.NaN));
  };

  it("loses 0.51 GiB to the CUDA context of one GPU", () => {
    expect(contexts({ tensorParallel: 1, pipelineParallel: 1 })).toEqual([expect.closeTo(0.51, 9)]);
  });

  it.each([
    [2, 1],
    [1, 2],
    [1, 4],
    [4, 2],
  ])("loses 1.53 GiB on each GPU of a group of TP %i and PP %i", (tensorParallel, pipelineParallel) => {
    const each = Array.from({ length: pipelineParallel }, () => expect.closeTo(1.53, 9));
    expect(contexts({ tensorParallel, pipelineParallel })).toEqual(each);
  });
});
