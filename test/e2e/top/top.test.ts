/** `npm run top` in a real terminal, over the real control API with a real Ollama, and a real Prometheus. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { EVIL, expectHarmless } from "../../cli/hostile";
import { environmentIn, onA10, useFolder } from "../../cli/run";
import { closeServers, listen } from "../../cli/smoke-servers";
import { ControlStand } from "../model-control/control-stand";
import { publishSlowly } from "../model-control/registry";
import { type Api, READ } from "../model-control/start-api";
import { type RunningPrometheus, startPrometheus } from "../prometheus/running-prometheus";
import { Terminal } from "./terminal";

const WIDE = { columns: 100, rows: 24 };
/** Folder that the recording and two screens of docs/top.md are written to; none unless asked. */
const { TOP_RECORDING } = process.env;

const CHAT = 'namespace="model-chat",model="chat"';
const GPU = 'node="gpu-1",gpu="0",product="NVIDIA A10",namespace="model-chat"';

/** Of two requests a second, nine in ten within the bound. */
function histogram(name: string, bound: number): string {
  const requests = 2 * Math.floor(Date.now() / 1000);
  const buckets = { [bound / 2]: 0, [bound]: 0.9 * requests, [2 * bound]: requests, "+Inf": requests };
  return Object.entries(buckets)
    .map(([le, count]) => `${name}_bucket{${CHAT},le="${le}"} ${count}\n`)
    .join("");
}

/** Series of the platform and of one GPU node, as Prometheus scrapes and records them. */
const series = () => `inference:ready_replicas:count{${CHAT}} 1
vllm:num_requests_waiting{${CHAT}} 3
vllm:num_requests_running{${CHAT}} 8
vllm:kv_cache_usage_perc{${CHAT}} 0.62
inference_p99_latency_ms{${CHAT}} 4200
gpu_memory_utilization{${GPU}} 88
gpu_utilization_percent{${GPU}} 71
${histogram("vllm:time_to_first_token_seconds", 0.25)}${histogram("vllm:inter_token_latency_seconds", 0.04)}`;

const folder = useFolder();
let stand: ControlStand;
let api: Api;
let prometheus: RunningPrometheus;
let terminal: Terminal | undefined;
let command = "";

beforeAll(async () => {
  // Built before: the terminal shows the command, not its bundle's making.
  execFileSync(process.execPath, ["cli/run.mjs", "--build"], { cwd: repositoryRoot() });
  stand = await ControlStand.start();
  api = await stand.replica({ worker: { name: "tower" } });
  const { url } = await listen((_, response) => void response.end(series()));
  prometheus = await startPrometheus({ scrapes: url });
  const token = join(folder, "token");
  writeFileSync(token, READ);
  const config = environmentIn(folder, onA10({ model: "qwen2.5-7b-instruct", concurrency: 8 }));
  command = `node cli/run.mjs top oci-a10 --config ${config} --control-url ${api.url} --prometheus ${prometheus.url} --token-file ${token} --interval 1`;
}, 180_000);
afterAll(async () => {
  terminal?.close();
  await prometheus?.stop();
  await stand?.stop();
  closeServers();
});

const shown = () => terminal?.text() ?? "";
const until = { timeout: 60_000, interval: 200 };

describe("top in a real terminal", () => {
  it("shows a pull, is resized, filtered and sorted, outlives its server, and gives the terminal back", {
    timeout: 240_000,
  }, async () => {
    const one = publishSlowly(stand.registry, "llama", { seconds: 40, seed: stand.nextSeed() });
    terminal = new Terminal(WIDE, command, repositoryRoot());
    await expect.poll(shown, until).toMatch(/chat +1\/1 +3 /);
    expect(shown()).toMatch(/tower +ollama +running/);
    await api.pull(one);
    await expect.poll(shown, until).toMatch(/pull 127\S+ +running +▇[▇░]+ +\d+ %/);
    expect(shown()).toContain("NVIDIA A10");
    await expect.poll(shown, until).toMatch(/chat +1\/1 +3 .* \d+ ms /);
    expect(shown()).toMatch(/q quit .* by name/);
    const screens = [shown()];

    terminal.resize({ columns: 60, rows: 20 });
    await expect.poll(() => shown().split("\n")[0]?.length, until).toBeLessThanOrEqual(60);
    await expect.poll(shown, until).toMatch(/chat +1\/1 +3 .*62 % +88 %/);
    screens.push(shown());
    terminal.resize(WIDE);
    terminal.press("s", "/", "g", "p", "u", "-", "1", "Enter");
    await expect.poll(shown, until).toMatch(/by queue · with "gpu-1"/);
    expect(shown()).not.toContain("ollama");
    terminal.press("Escape");
    await expect.poll(shown, until).toMatch(/tower +ollama/);

    await api.process.kill();
    await expect.poll(shown, until).toMatch(/! the control API: nothing listens at .*figures are of/);
    await api.process.start();
    await expect.poll(shown, until).not.toContain("figures are of");

    terminal.press("q");
    await expect.poll(shown, until).toContain("exit status 0");
    expect(terminal.state()).toBe("cursor 1 alternate 0 wrap 1");
    if (TOP_RECORDING !== undefined) {
      writeFileSync(join(TOP_RECORDING, "top.cast"), terminal.recording(WIDE, "npm run top"));
      writeFileSync(join(TOP_RECORDING, "top.txt"), screens.join("\n"));
    }
  });

  it("gives the terminal back when it is killed", { timeout: 120_000 }, async () => {
    terminal?.close();
    terminal = new Terminal(WIDE, `sh -c 'echo $$ > ${folder}/pid; exec ${command}'`, repositoryRoot());
    await expect.poll(shown, until).toMatch(/tower +ollama/);
    execFileSync("sh", ["-c", `kill -TERM $(cat ${folder}/pid)`]);
    await expect.poll(shown, until).toContain("exit status 0");
    expect(terminal.state()).toBe("cursor 1 alternate 0 wrap 1");
  });

  it("shows hostile names as text", { timeout: 120_000 }, async () => {
    terminal?.close();
    const worker = {
      name: EVIL,
      backend: EVIL,
      state: EVIL,
      memory: { budget_bytes: 1, used_bytes: 1 },
      models: [EVIL],
      problem: EVIL,
    };
    const bodies = {
      workers: [worker],
      models: [{ model: EVIL, state: EVIL, pinned: true, placements: [] }],
      tasks: [],
    };
    const { url } = await listen((_, response) => void response.end(JSON.stringify(bodies)));
    terminal = new Terminal(WIDE, `node cli/run.mjs top ${url}`, repositoryRoot());
    await expect.poll(shown, until).toContain("\\u001b[2J");
    expect(terminal.title()).not.toContain("PWNED");
    expectHarmless(shown());
  });

  it("prints one picture when piped", () => {
    const text = execFileSync("sh", ["-c", `${command} | cat`], { cwd: repositoryRoot(), encoding: "utf8" });
    expect(text).toMatch(/tower +ollama +running/);
    expectHarmless(text);
  });
});
