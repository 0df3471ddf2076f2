/** `npm run top` in a real terminal, over the real control API with a real Ollama, and a real Prometheus. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";
import { EVIL, expectHarmless } from "../../cli/hostile";
import { environmentIn, laptop, useFolder } from "../../cli/run";
import { closeServers, listen } from "../../cli/smoke-servers";
import { ControlStand } from "../model-control/control-stand";
import { publishSlowly } from "../model-control/registry";
import { type Api, READ } from "../model-control/start-api";
import { type RunningPrometheus, startPrometheus } from "../prometheus/running-prometheus";
import { Terminal } from "./terminal";

const WIDE = { columns: 100, rows: 24 };
/** Where the page's recording is written to; nowhere unless asked. */
const { TOP_RECORDING } = process.env;

/** Series of the platform and of one GPU node, as Prometheus scrapes and records them. */
const SERIES = `
inference:ready_replicas:count{namespace="model-chat",model="chat"} 1
vllm:num_requests_waiting{namespace="model-chat",model="chat"} 3
vllm:num_requests_running{namespace="model-chat",model="chat"} 8
vllm:kv_cache_usage_perc{namespace="model-chat",model="chat"} 0.62
inference_p99_latency_ms{namespace="model-chat",model="chat"} 4200
gpu_memory_utilization{node="gpu-1",gpu="0",product="NVIDIA L40S",namespace="model-chat"} 88
gpu_utilization_percent{node="gpu-1",gpu="0",product="NVIDIA L40S",namespace="model-chat"} 71
`.trimStart();

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
  api = await stand.replica({ worker: { name: "chat" } });
  const { url } = await listen((_, response) => void response.end(SERIES));
  prometheus = await startPrometheus({ scrapes: url });
  const token = join(folder, "token");
  writeFileSync(token, READ);
  const config = environmentIn(folder, laptop);
  command = `node cli/run.mjs top dev --config ${config} --control-url ${api.url} --prometheus ${prometheus.url} --token-file ${token} --interval 1`;
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
    expect(shown()).toMatch(/chat +ollama +running/);
    await api.pull(one);
    await expect.poll(shown, until).toMatch(/pull 127\S+ +running +[▇░]+ +\d+ %/);
    expect(shown()).toContain("NVIDIA L40S");
    expect(shown()).toMatch(/q quit .* by name/);

    terminal.resize({ columns: 60, rows: 20 });
    await expect.poll(() => shown().split("\n")[0]?.length, until).toBeLessThanOrEqual(60);
    await expect.poll(shown, until).toMatch(/chat +1\/1 +3 .*62 % +88 %/);
    terminal.resize(WIDE);
    terminal.press("s", "/", "l", "4", "0", "Enter");
    await expect.poll(shown, until).toMatch(/by queue · with "l40"/);
    expect(shown()).not.toContain("ollama");
    terminal.press("Escape");
    await expect.poll(shown, until).toMatch(/chat +ollama/);

    await api.process.kill();
    await expect.poll(shown, until).toMatch(/! the control API: nothing listens at .*figures are of/);
    await api.process.start();
    await expect.poll(shown, until).not.toContain("figures are of");

    terminal.press("q");
    await expect.poll(shown, until).toContain("exit status 0");
    expect(terminal.state()).toBe("cursor 1 alternate 0 wrap 1");
    if (TOP_RECORDING !== undefined) {
      writeFileSync(TOP_RECORDING, terminal.recording(WIDE, "npm run top"));
    }
  });

  it("gives the terminal back when it is killed", { timeout: 120_000 }, async () => {
    terminal?.close();
    terminal = new Terminal(WIDE, `sh -c 'echo $$ > ${folder}/pid; exec ${command}'`, repositoryRoot());
    await expect.poll(shown, until).toMatch(/chat +ollama/);
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
    expect(text).toMatch(/chat +ollama +running/);
    expectHarmless(text);
  });
});
