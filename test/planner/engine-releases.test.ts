/** What a plan makes of older releases of vLLM, layouts and pools included. */
import { describe, expect, it } from "vitest";
import { planDeployment } from "../../planner/plan";
import type { ModelRequest, PoolRequest } from "../../planner/request";
import { environmentOf, modelOf, poolOf } from "./fixtures";

function planned(pool: PoolRequest, model: ModelRequest) {
  const { models, problems } = planDeployment(environmentOf([pool], [model]));
  const [first] = models;
  return {
    layout: first && [first.tensorParallel, first.pipelineParallel, first.nodesPerReplica],
    said: problems.map(({ message }) => message).join("\n"),
  };
}

const small = (engineVersion: string, changes: Partial<ModelRequest> = {}) =>
  modelOf("qwen2.5-7b-instruct", { engineVersion, concurrency: 2, ...changes });

describe("an older release", () => {
  it("is planned where it can do what the model asks", () => {
    for (const version of ["0.8.5", "0.9.1", "0.10.2", "0.11.2", "0.15.0"]) {
      expect(planned(poolOf("g6e.4xlarge", 1), small(version)).layout, version).toEqual([1, 1, 1]);
    }
  });

  it("gets no pipeline stages that it runs on the engine before V1, and others instead", () => {
    const stages = (version: string) => planned(poolOf("g6e.12xlarge", 1), small(version, { pipelineParallel: 2 }));
    expect(stages("0.9.1").layout).toEqual([1, 2, 1]);
    expect(stages("0.9.0").layout).toBeUndefined();
    expect(stages("0.9.0").said).toMatch(/PP 2: pipeline stages need vLLM 0\.9\.1 or newer/);
  });

  it("stays on one node before it could span several", () => {
    const large = (engineVersion: string) =>
      planned(poolOf("BM.GPU.H100.8", 2), modelOf("llama-3.1-405b-instruct", { engineVersion, concurrency: 1 }));
    expect(large("0.11.1").layout).toEqual([8, 2, 2]);
    expect(large("0.11.0").layout).toBeUndefined();
    expect(large("0.11.0").said).toMatch(/need vLLM 0\.11\.1 or newer: older releases have no --nnodes/);
  });

  it("is refused on AMD cards and CPUs that have no image or cache of it, with the release that has", () => {
    expect(planned(poolOf("BM.GPU.MI300X.8", 1), small("0.13.0")).said).toMatch(
      /AMD cards need vLLM 0\.14\.0 or newer/,
    );
    expect(planned(poolOf("m7i.4xlarge", 1), small("0.19.1")).said).toMatch(/CPUs need vLLM 0\.20\.0 or newer/);
  });
});
