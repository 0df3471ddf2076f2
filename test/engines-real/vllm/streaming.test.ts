/** Weights that vLLM reads from the real model store by itself, as a plan renders it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { makeTinyModel, type TinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

let tiny: TinyModel;
let stand: Stand;
let vllm: VllmProcess;

beforeAll(async () => {
  tiny = makeTinyModel();
  // No plan on CPUs streams: their image lacks the streamer, which the part has.
  const model: ModelPlan = { ...tinyPlan(tiny), loading: "stream" };
  stand = await startStand(model, tiny);
  const [port = 0] = await freePorts(1);
  vllm = new VllmProcess(stand.platform.engine(model.name, "vllm"), {
    port,
    env: { AWS_ENDPOINT_URL: stand.store.url },
  });
  await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
});

it("come with the model's own key, over the store's own authority, and answer", async () => {
  const answer = await vllm.post("/v1/completions", { model: SERVED, prompt: "hello", max_tokens: 4 });
  expect(await answer.json()).toMatchObject({ object: "text_completion", model: SERVED });
});
