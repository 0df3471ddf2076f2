import { describe, expect, it } from "vitest";
import { estimateTriton } from "../../../engines/triton/memory";
import { fixtureArchitecture } from "../../planner/model/fixtures";
import { memoryRequest } from "../requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

describe("TensorRT-LLM's memory beside weights and cache", () => {
  it.each([
    [1, 0.8],
    [2, 1.8],
    [4, 1.8],
  ])("has buffers of collectives only in groups: TP %i takes %d GiB", (tensorParallel, nonTorchGiB) => {
    const engine = { name: "triton", version: "26.06" } as const;
    const { stages } = estimateTriton(memoryRequest(llama, { engine, tensorParallel }));
    expect(stages.map(({ overhead }) => overhead?.nonTorchGiB)).toEqual([nonTorchGiB]);
  });
});
