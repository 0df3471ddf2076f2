/**
 * Two replicas of a real vLLM, of which one's engine is stopped: what the API says of it, and what the rendered liveness and its grace do, with a
 * part of the time that pods have. `HANG_SECONDS=270` takes as long as they do, which needs a quarter of an hour.
 */
import { spawn } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, assert, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { condemnedAfter, end, type LivenessProbe, processOf } from "../../harness/kubelet";
import { makeTinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

/** In place of the pod's, of which this is a share. */
const STALLED_SECONDS = Number(process.env.HANG_SECONDS ?? 27);
const POD_STALLED_SECONDS = 270;
const SHARE = STALLED_SECONDS / POD_STALLED_SECONDS;

let stand: Stand;
let liveness: LivenessProbe | undefined;
let replicas: readonly [VllmProcess, VllmProcess];

beforeAll(async () => {
  const tiny = makeTinyModel();
  const model = tinyPlan(tiny, { args: { "enforce-eager": true } });
  stand = await startStand(model, tiny);
  const rendered = stand.platform.engine(model.name, "vllm");
  liveness = rendered.liveness;
  const weights = await weightsFolder(stand, model);
  const start = async () => {
    const [port = 0] = await freePorts(1);
    const vllm = new VllmProcess(rendered, { port, volumes: { "/models/current": weights } });
    await vllm.until(engineOf("vllm").health.ready);
    return vllm;
  };
  // One after the other: together they would take longer than each may.
  replicas = [await start(), await start()];
}, 1_200_000);
afterAll(async () => {
  for (const vllm of replicas ?? []) {
    await vllm.stop();
  }
  await stand?.stop();
});

/** The rendered probe in the time of this test. */
function probe(): LivenessProbe {
  assert(liveness);
  return { ...liveness, periodSeconds: Math.max(1, liveness.periodSeconds * SHARE) };
}

/** The rendered command, with the replica's port, a state of its own and the time of this test. */
function passes(vllm: VllmProcess): () => Promise<boolean> {
  const [python = "", dash = "", script = "", ...others] = liveness?.exec?.command ?? [];
  expect([python, dash, others]).toEqual([
    "python3",
    "-c",
    ["8000", "/tmp/engine-alive.json", `${POD_STALLED_SECONDS}`],
  ]);
  const { port } = new URL(vllm.url);
  const words = [dash, script, port, join(vllm.home, "engine-alive.json"), String(STALLED_SECONDS)];
  return () =>
    new Promise((resolve) => {
      const child = spawn(python, words, { timeout: probe().timeoutSeconds * 1000, stdio: "ignore" });
      child.on("close", (status) => resolve(status === 0));
    });
}

const engine = ({ home }: VllmProcess) => processOf({ says: ["VLLM::EngineCore"], within: home });
const server = ({ home }: VllmProcess) => processOf({ says: [], parent: process.pid, within: home });

/** An answer that has begun. */
interface Answer {
  readonly whole: Promise<string>;
}

/** Not by fetch, which gives up after five minutes without a byte. */
function ask(vllm: VllmProcess, tokens: number): Promise<Answer> {
  const body = { model: SERVED, prompt: "hello", max_tokens: tokens, ignore_eos: true, stream: true };
  return new Promise((begin, fail) => {
    const headers = { "Content-Type": "application/json" };
    request(`${vllm.url}/v1/completions`, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      const whole = new Promise<string>((end) => response.on("close", () => end(text)));
      response.once("data", () => begin({ whole }));
    })
      .on("error", fail)
      .end(JSON.stringify(body));
  });
}

it("lives through a step of five minutes, and ends its answer", async () => {
  const [vllm] = replicas;
  const answer = await ask(vllm, 900);
  const pid = engine(vllm);
  process.kill(pid, "SIGSTOP");
  try {
    expect(await condemnedAfter(probe(), passes(vllm), 300 * SHARE)).toBeUndefined();
  } finally {
    process.kill(pid, "SIGCONT");
  }
  expect(await answer.whole).toContain("[DONE]");
  expect(await passes(vllm)()).toBe(true);
}, 600_000);

it("is noticed within six minutes when it hangs, and ended within another; the other replica goes on", async () => {
  const [vllm, other] = replicas;
  const answer = await ask(vllm, 900);
  process.kill(engine(vllm), "SIGSTOP");
  const [noticed, othersEnd] = await Promise.all([
    condemnedAfter(probe(), passes(vllm), 400 * SHARE),
    condemnedAfter(probe(), passes(other), 360 * SHARE),
    ask(other, 900).then(({ whole }) => expect(whole).resolves.toContain("[DONE]")),
  ]);
  console.log(`noticed after ${noticed} s`);
  expect(noticed).toBeLessThan(360 * SHARE);
  expect(othersEnd).toBeUndefined();
  expect([await vllm.status("/health"), await vllm.status("/v1/models")]).toEqual([200, 200]);

  const seconds = await end(server(vllm), probe());
  console.log(`ended after another ${seconds} s`);
  expect(seconds).toBeLessThan(60);
  expect(await answer.whole).not.toContain("[DONE]");
  expect(await (await ask(other, 20)).whole).toContain("[DONE]");
}, 900_000);
