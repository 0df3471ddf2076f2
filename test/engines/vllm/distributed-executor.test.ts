import { describe, expect, it } from "vitest";
import { modelEngineVersion, modelImageName } from "../../../engines";
import { vllmSettings } from "../../../engines/vllm/settings";
import { fixtureArchitecture } from "../../planner/model/fixtures";

const model = {
  name: "chat",
  servedName: "chat",
  engineVersion: "0.17.1",
  task: "chat",
  architecture: fixtureArchitecture("meta-llama--Llama-3.1-8B"),
  source: { kind: "bucket", uri: "s3://models/chat" },
  loading: "copy",
  contextTokens: 8192,
  concurrency: 1,
  kvCacheDtype: "auto",
} as const;

describe("vllm.distributedExecutor", () => {
  const onRay = { engine: "vllm", ...vllmSettings.requested({ distributedExecutor: "ray" }) } as const;
  const native = { engine: "vllm", ...vllmSettings.requested({}) } as const;

  it("decides the image, and with it the version that the plan counts with", () => {
    expect([modelImageName(onRay, "nvidia"), modelEngineVersion(onRay)]).toEqual(["vllm-cuda-ray", "0.17.1"]);
    expect(modelImageName(onRay, "amd")).toBeUndefined();
    expect([modelImageName(native, "nvidia"), modelEngineVersion(native)]).toEqual(["vllm-cuda", "0.33.0"]);
  });

  it("is refused with a version whose images have no Ray", () => {
    const problems = (engineVersion: string, asked: object) =>
      vllmSettings.outcome(asked, {
        ...model,
        engineVersion,
        engineSettings: vllmSettings.requested(asked).engineSettings ?? {},
      }).problems;
    expect(problems("0.17.1", { distributedExecutor: "ray" })).toEqual([]);
    expect(problems("0.33.0", {})).toEqual([]);
    expect(problems("0.18.0", { distributedExecutor: "ray" })).toEqual([
      {
        rule: "engine-release",
        message: expect.stringMatching(/vLLM 0\.17\.1 or older.*write vllm\.distributedExecutor: native/),
      },
    ]);
  });
});
