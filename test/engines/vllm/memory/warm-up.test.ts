import { describe, expect, it } from "vitest";
import { type ProfilingRun, samplingBytes, warmUpBytes } from "../../../../engines/vllm/memory/activation";
import type { SchedulerLimits } from "../../../../engines/vllm/memory/scheduler-defaults";
import { vllmConstants } from "../../../../engines/vllm/memory/versions";
import { fixtureArchitecture } from "../../../planner/model/fixtures";

const architecture = fixtureArchitecture("meta-llama--Llama-3.1-8B");
/** FlashInfer's buffers and the logits in 16 bits. */
const BYTES_PER_LOGIT = 12 + 2;

function runOf(runner: "v1" | "v2", limits: SchedulerLimits): ProfilingRun {
  return {
    architecture,
    stage: { index: 0, firstLayer: 0, endLayer: 32, isFirst: true, isLast: true },
    tensorParallel: 1,
    pipelineParallel: 1,
    expertParallel: false,
    limits,
    constants: vllmConstants("0.28.0").constants,
    runner,
    sampler: "inPlace",
    warmUpSampler: "flashinfer",
    modularExperts: true,
    deepGemmExperts: false,
  };
}

describe("sampling once the cache is sized", () => {
  it("is the profiling run's by the first runner", () => {
    const run = runOf("v1", { maxNumSeqs: 256, maxNumBatchedTokens: 2048 });
    expect(warmUpBytes(run)).toBe(samplingBytes(run));
  });

  it.each([
    ["as many sequences as may run", 256, 2048, 256],
    ["requests of two tokens that fill a batch", 1024, 1024, 512],
  ])("has every parameter set by the second, for %s", (_, maxNumSeqs, maxNumBatchedTokens, requests) => {
    const run = runOf("v2", { maxNumSeqs, maxNumBatchedTokens });
    expect(warmUpBytes(run)).toBe(requests * architecture.vocabSize * BYTES_PER_LOGIT);
    expect(warmUpBytes(run)).toBeGreaterThan(
      samplingBytes({ ...run, limits: { ...run.limits, maxNumSeqs: requests } }),
    );
  });
});
