import { describe, expect, it } from "vitest";
import { raySettings } from "../../../engines/ray/settings";
import { vllmSettings } from "../../../engines/vllm/settings";
import { stateTransferProblems } from "../../../engines/vllm/state-transfer";
import type { LayerSpec, RecurrentMixer } from "../../../planner/model/architecture";
import type { ModelRequest } from "../../../planner/request";
import { modelOf } from "../../planner/fixtures";

const SPLIT = { prefillDecode: { prefill: 1, decode: 1 } };
const nemotron = (changes: Partial<ModelRequest> = {}) => modelOf("nemotron-3-nano-30b-a3b", changes);
const transfer = (kv_connector: string, extra = {}) => ({ "kv-transfer-config": { kv_connector, ...extra } });
const told = (model: ModelRequest, own = {}) => stateTransferProblems(model, own).map(({ message }) => message);

/** The model with other recurrent layers in place of its own. */
function withVariant(variant: RecurrentMixer["variant"]): ModelRequest {
  const model = nemotron();
  const layerSpecs = model.architecture.layerSpecs.map(
    (layer): LayerSpec => (layer.mixer.kind === "recurrent" ? { ...layer, mixer: { ...layer.mixer, variant } } : layer),
  );
  return { ...model, architecture: { ...model.architecture, layerSpecs } };
}

describe("a model with recurrent layers", () => {
  it("is split by the pinned release", () => {
    expect(vllmSettings.outcome(SPLIT, { ...nemotron(), engineSettings: SPLIT }).problems).toEqual([]);
  });

  it.each([
    ["0.21.0", ["vllm.prefillDecode with recurrent layers needs vLLM 0.22.0"]],
    ["0.22.0", []],
  ])("is split by vLLM %s: %j", (engineVersion, reasons) => {
    expect(told(nemotron({ engineVersion }), SPLIT)).toEqual(reasons.map((each) => expect.stringContaining(each)));
  });

  it.each([
    ["gated-delta-net", true],
    ["mamba1", true],
    ["kimi-delta", false],
    ["lightning", false],
    ["short-convolution", false],
  ] as const)("of the kind %s is split: %s", (variant, isSplit) => {
    const reasons = isSplit ? [] : [expect.stringContaining(`sends no states of its ${variant} layers`)];
    expect(told(withVariant(variant), SPLIT)).toEqual(reasons);
  });

  it("is split where the user sets the layout that goes over, not where another", () => {
    const withLayout = (layout: string) => told(nemotron({ env: { VLLM_SSM_CONV_STATE_LAYOUT: layout } }), SPLIT);
    expect(withLayout("DS")).toEqual([]);
    expect(withLayout("SD")).toEqual([expect.stringContaining("write env: {VLLM_SSM_CONV_STATE_LAYOUT: DS}")]);
  });

  it.each([
    ["offloads to host memory", { "kv-offloading-size": 8 }, []],
    [
      "takes no connector that vLLM turns its states off beside",
      transfer("LMCacheConnectorV1"),
      ["LMCacheConnectorV1"],
    ],
    [
      "takes none inside of another",
      transfer("MultiConnector", {
        kv_connector_extra_config: {
          connectors: [{ kv_connector: "OffloadingConnector" }, { kv_connector: "LMCacheConnectorV1" }],
        },
      }),
      ["LMCacheConnectorV1"],
    ],
    ["needs the layout with a connector of the user's", transfer("NixlConnector"), ["NixlConnector sends states in"]],
  ])("%s", (_, args, reasons) => {
    expect(told(nemotron({ args }))).toEqual(reasons.map((each) => expect.stringContaining(each)));
  });

  it("is refused by Ray too, by the release of vLLM in it", () => {
    const args = { "kv-offloading-size": 8 };
    const problems = (engineVersion: string) =>
      raySettings
        .outcome({}, nemotron({ engine: "ray", engineVersion, args }))
        .problems.filter(({ rule }) => rule === "state-transfer");
    expect(problems("2.56.0")).toEqual([]);
    expect(
      raySettings.outcome({}, nemotron({ engine: "ray", args: transfer("LMCacheConnectorV1") })).problems,
    ).toContainEqual({
      rule: "state-transfer",
      message: expect.stringContaining("LMCacheConnectorV1"),
    });
  });
});

it("models without recurrent layers take any connector", () => {
  expect(told(modelOf("llama-3.1-8b-instruct", { args: transfer("LMCacheConnectorV1") }), SPLIT)).toEqual([]);
});
