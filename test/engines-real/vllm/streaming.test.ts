/** Weights that vLLM reads from the real model store by itself, as a plan renders it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { makeTinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan } from "./tiny-stand";
import { type Replaced, VllmProcess } from "./vllm-process";

let stand: Stand;
let model: ModelPlan;
let vllm: VllmProcess;

beforeAll(async () => {
  const tiny = makeTinyModel();
  // No plan on CPUs streams: their image lacks the streamer, which the part has.
  model = { ...tinyPlan(tiny, { args: { "enforce-eager": true } }), loading: "stream" };
  stand = await startStand(model, tiny);
  vllm = await started();
  await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
});

async function started(files?: Replaced["files"]): Promise<VllmProcess> {
  const [port = 0] = await freePorts(1);
  const env = { AWS_ENDPOINT_URL: stand.store.url };
  return new VllmProcess(stand.platform.engine(model.name, "vllm"), { port, env, ...(files && { files }) });
}

it("come with the model's own key, over the store's own authority, and answer", async () => {
  const answer = await vllm.post("/v1/completions", { model: SERVED, prompt: "hello", max_tokens: 4 });
  expect(await answer.json()).toMatchObject({ object: "text_completion", model: SERVED });
  expect(vllm.output()).toMatch(/Loading safetensors using Runai Model Streamer: +100%/);
});

it("do not come with another key, and the server ends", async () => {
  const { env, mounts } = stand.platform.engine(model.name, "vllm");
  const file = env.AWS_SHARED_CREDENTIALS_FILE ?? "";
  const own = mounts.map(({ path, files }) => files?.[file.slice(path.length + 1)]).find((text) => text !== undefined);
  const other = own?.replace(/(aws_secret_access_key = )\S+/, "$1guessed");
  expect(other).toContain("guessed");
  const guessing = await started({ [file]: other ?? "" });
  try {
    expect(await guessing.ended(120)).toBe("ended with 1");
    expect(guessing.output()).toContain("SignatureDoesNotMatch");
  } finally {
    await guessing.stop();
  }
});
