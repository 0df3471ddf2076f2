/** vLLM as rendered for weights on volumes of the user, with a folder of this machine in the mount's place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import { MODEL_FOLDER } from "../../../names/pod-folders";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { RenderedPlatform } from "../../e2e/model-store/platform";
import { makeTinyModel, type TinyModel } from "./tiny-model";
import { CONTEXT, SERVED, tinyPlan } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

const PATH = "llama/v3";

let tiny: TinyModel;
/** The volume, with the model in a folder of it. */
let volume: string;

beforeAll(() => {
  tiny = makeTinyModel();
  volume = mkdtempSync(join(tmpdir(), "inference-stacks-volume-"));
  mkdirSync(join(volume, PATH), { recursive: true });
  for (const [name, content] of Object.entries(tiny.files)) {
    writeFileSync(join(volume, PATH, name), content);
  }
});
afterAll(() => rmSync(volume, { recursive: true, force: true }));

it.each([
  { kind: "claim", claim: "weights", path: PATH },
  { kind: "folder", path: `/srv/${PATH}` },
] as const)("serves the model from a $kind, with the rendered arguments and nothing of the store", async (source) => {
  const model = tinyPlan(tiny, { source, loading: "mount" });
  const platform = await RenderedPlatform.render([model], "", {});
  const [port = 0] = await freePorts(1);
  const volumes = { [MODEL_FOLDER]: join(volume, PATH) };
  const vllm = new VllmProcess(platform.engine(model.name, "vllm"), { port, volumes });
  try {
    await vllm.until(engineOf("vllm").health.ready);
    const { data } = JSON.parse(await vllm.text("/v1/models"));
    expect(data).toMatchObject([{ id: SERVED, max_model_len: CONTEXT }]);
    const answer = await vllm.post("/v1/completions", { model: SERVED, prompt: "hello", max_tokens: 4 });
    expect(await answer.json()).toMatchObject({ usage: { completion_tokens: 4 } });
  } finally {
    await vllm.stop();
  }
});
