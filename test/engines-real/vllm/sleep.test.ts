/**
 * vLLM's sleep as the model control API orders it, on the real server. On CPUs its worker has nothing to free and says so; all else
 * is real: the routes, the scheduler that pauses, what the server tells, and the requests that wait.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { VllmBackend } from "../../../services/model-control/src/backends/vllm";
import type { Stand } from "../../e2e/model-store/stand";
import { testFleet } from "../../services/model-control/fleet/fixture";
import { makeTinyModel } from "./tiny-model";
import { CONTEXT, SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

const { signal } = new AbortController();
const SERIES = /^vllm:num_requests_(?:running|waiting)\{.*\} (\S+)$/gm;

let stand: Stand;
let vllm: VllmProcess;
let backend: VllmBackend;

beforeAll(async () => {
  const tiny = makeTinyModel();
  const args = { "enforce-eager": true, "enable-server-load-tracking": true };
  const model = tinyPlan(tiny, { args });
  stand = await startStand(model, tiny);
  const volumes = { "/models/current": await weightsFolder(stand, model) };
  const [port = 0] = await freePorts(1);
  const env = { VLLM_SERVER_DEV_MODE: "1" };
  vllm = new VllmProcess(stand.platform.engine(model.name, "vllm"), { port, env, volumes });
  backend = new VllmBackend(vllm.url, { models: [SERVED] });
  await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
});

async function complete(tokens: number): Promise<string> {
  const answer = await vllm.post("/v1/completions", {
    model: SERVED,
    prompt: "hello",
    max_tokens: tokens,
    ignore_eos: true,
  });
  return `${answer.status} ${((await answer.json()) as { choices: { finish_reason: string }[] }).choices[0]?.finish_reason}`;
}

const known = async () => (await backend.models(signal))[0];

it("is told from use: one that answers is in use, and sleeps only after its answer's end", async () => {
  expect(await complete(4)).toBe("200 length");
  expect(await known()).toEqual({ name: SERVED, loaded: true, useMark: "1", inUse: false, canUnload: true });
  const long = complete(CONTEXT - 100);
  await expect.poll(() => backend.inUse(SERVED, signal)).toBe(true);
  await backend.unload(SERVED, signal);
  expect(await long).toBe("200 length");
  expect(await known()).toEqual({ name: SERVED, loaded: false, canUnload: true });
  expect(await vllm.status(engineOf("vllm").health.ready)).toBe(200);
});

it("is ended for a request that waits, which no series of its shows: its load does", async () => {
  expect(await backend.awaited(signal)).toEqual([]);
  let status: string | undefined;
  const answer = complete(4).then((text) => {
    status = text;
  });
  await expect.poll(() => backend.awaited(signal)).toEqual([SERVED]);
  await pause(1000);
  const series = [...(await vllm.text("/metrics")).matchAll(SERIES)].map(([, value]) => Number(value));
  expect(series).toEqual([0, 0]);
  expect(status).toBeUndefined();

  const worker = { name: "v", backend: "vllm" as const, url: vllm.url, memoryBytes: 1e9, pins: [], models: [SERVED] };
  const made = testFleet([worker], { idle: { seconds: 60, models: {} } });
  await made.fleet.wake(signal);
  expect(made.events).toMatchObject([{ type: "loaded", worker: "v", model: SERVED }]);
  await answer;
  expect(status).toBe("200 length");
  expect(await known()).toMatchObject({ loaded: true, inUse: false });
  expect(await backend.awaited(signal)).toEqual([]);
});
