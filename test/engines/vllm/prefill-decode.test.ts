import { describe, expect, it } from "vitest";
import { layoutProblems } from "../../../engines/estimate";
import { vllmSettings } from "../../../engines/vllm/settings";
import { modelOf } from "../../planner/fixtures";
import { memoryRequest } from "../requests";

const block = { prefillDecode: { prefill: 1, decode: 2 } };
const model = modelOf("llama-3.1-8b-instruct");

describe("vllm.prefillDecode", () => {
  it("asks the plan for all pods of both kinds", () => {
    expect(vllmSettings.requested(block)).toMatchObject({
      minReplicas: 3,
      maxReplicas: 3,
      engineSettings: { prefillDecode: { prefill: 1, decode: 2 } },
    });
    expect(vllmSettings.requested({}).minReplicas).toBeUndefined();
  });

  it("says what goes over the network, and how long that takes", () => {
    // 128 KiB a token, 8192 tokens.
    const { notes, problems } = vllmSettings.outcome(block, model);
    expect(notes).toContainEqual(expect.stringMatching(/1\.00 GiB.* 0\.34 s at 25 Gbit\/s$/));
    expect(problems).toEqual([]);
  });

  it("takes no adapters, no second connector, and no stages", () => {
    const args = { "kv-transfer-config": { kv_connector: "NixlConnector" }, "kv-offloading-size": 8 };
    expect(vllmSettings.outcome(block, { ...model, args, adapters: [] }).problems).toEqual([
      { rule: "prefill-decode", message: expect.stringContaining("args.kv-transfer-config") },
      { rule: "prefill-decode", message: expect.stringContaining("args.kv-offloading-size") },
      { rule: "prefill-decode", message: expect.stringContaining("adapters") },
    ]);
    const layout = memoryRequest(model.architecture, { pipelineParallel: 2, engineSettings: block });
    expect(layoutProblems("vllm", layout)).toEqual([
      "PP 2: with vllm.prefillDecode each pod has the whole model, use 1",
    ]);
    expect(layoutProblems("vllm", { ...layout, engineSettings: undefined })).toEqual([]);
  });
});
