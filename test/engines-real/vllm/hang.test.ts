/** A real vLLM whose engine process is stopped: what the API says of it, what its series say, and what the rendered liveness does. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { RenderedContainer } from "../../e2e/model-store/platform";
import type { Stand } from "../../e2e/model-store/stand";
import { makeTinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

let stand: Stand;
let container: RenderedContainer;
let vllm: VllmProcess;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hang-"));
  const tiny = makeTinyModel();
  const model = tinyPlan(tiny, { args: { "enforce-eager": true } });
  stand = await startStand(model, tiny);
  container = stand.platform.engine(model.name, "vllm");
  const [port = 0] = await freePorts(1);
  vllm = new VllmProcess(container, { port, volumes: { "/models/current": await weightsFolder(stand, model) } });
  await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
  rmSync(folder, { recursive: true });
});

/** The rendered probe, with this process's port, and seconds in place of the 300 of a pod. @returns its exit status. */
function probe(seconds: number): number | null {
  const [python = "", dash = "", script = "", ...others] = container.liveness ?? [];
  expect([python, dash, others]).toEqual(["python3", "-c", ["8000", "/tmp/engine-alive.json", "300"]]);
  return spawnSync(python, [dash, script, new URL(vllm.url).port, join(folder, "state"), String(seconds)]).status;
}

/** The process that serves, by the title that vLLM gives it. */
function engineProcess(): number {
  const found = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) {
      return false;
    }
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("VLLM::EngineCore") &&
        readFileSync(`/proc/${pid}/environ`, "utf8").includes(environmentMark())
      );
    } catch {
      return false;
    }
  });
  expect(found).toHaveLength(1);
  return Number(found[0]);
}

const environmentMark = () => `HOME=${vllm.home}`;

it("is alive by its API, and dead by its liveness", { timeout: 240_000 }, async () => {
  const answer = vllm.post("/v1/completions", {
    model: SERVED,
    prompt: "hello",
    max_tokens: 900,
    ignore_eos: true,
    stream: true,
  });
  await (await answer).body?.getReader().read();
  expect(probe(2)).toBe(0);
  const pid = engineProcess();
  execFileSync("kill", ["-STOP", String(pid)]);
  try {
    await sleep(1000);
    // Sees the last step, then none.
    expect(probe(2)).toBe(0);
    await sleep(3000);
    expect(probe(2)).toBe(1);
    expect(await vllm.status("/health")).toBe(200);
    expect(await vllm.status("/v1/models")).toBe(200);
  } finally {
    execFileSync("kill", ["-CONT", String(pid)]);
  }
  await sleep(3000);
  expect(probe(2)).toBe(0);
});
