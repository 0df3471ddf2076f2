/** The model control API as users meet it: its bundle, a real Redis with a password, a real Ollama, a real registry. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry, tinyLlama } from "./registry";
import { Api, ApiBundle, OPERATE, READ } from "./start-api";
import { startTraceReceiver, type TraceReceiver } from "./trace-receiver";

const PASSWORD = "s3cret-of-redis";

let bundle: ApiBundle;
let redis: Redis;
let ollama: Ollama;
let registry: Registry;
let traces: TraceReceiver;
let api: Api;
const folder = mkdtempSync(join(tmpdir(), "model-control-e2e-"));

beforeAll(async () => {
  bundle = ApiBundle.build();
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  [redis, ollama, registry, traces] = await Promise.all([
    startRedis({ password: PASSWORD }),
    startOllama(),
    startRegistry(),
    startTraceReceiver(),
  ]);
  api = await Api.start(bundle, {
    redis: { url: redis.url, passwordFile },
    registries: { insecure: [registry.host] },
    workers: [{ name: "w1", backend: "ollama", url: ollama.url, memoryBytes: 4e9, diskBytes: 4e9 }],
    tracing: { otlpEndpoint: traces.url },
  });
  await api.process.waitForOutput(/the task queue is connected/, 10);
});
afterAll(async () => {
  await api?.process.stop();
  await Promise.all([redis?.stop(), ollama?.stop(), registry?.stop(), traces?.stop()]);
  bundle?.remove();
  rmSync(folder, { recursive: true });
});

/** As curl's --path-as-is: nothing is tidied up on the way. */
function rawStatus(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const headers = { authorization: `Bearer ${OPERATE}` };
    http
      .get({ hostname, port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", reject);
  });
}

describe("the API", () => {
  it("pulls a model, tells its state, unloads and deletes it", async () => {
    const model = registry.publish("tiny:latest", tinyLlama({ seed: 7 }));
    const state = async () => (await api.ask("GET", `/models/${encodeURIComponent(model)}/status`)).body.state;
    expect(await state()).toBe("absent");
    expect(await api.ask("POST", "/models/load", { model })).toMatchObject({ status: 404 });
    const task = await api.ended(await api.pull(model));
    expect(task).toMatchObject({ state: "completed", progress: 100, worker: "w1" });
    expect(await state()).toBe("loaded");
    expect((await api.ask("GET", "/models")).body.models).toMatchObject([
      { model, state: "loaded", placements: [{ worker: "w1", disk_bytes: expect.any(Number) }] },
    ]);
    expect(await api.ask("GET", "/health")).toMatchObject({
      status: 200,
      body: { healthy: true, checks: { backend: { ok: true }, model_loaded: { ok: true, detail: "1 loaded" } } },
    });

    expect(await api.ask("DELETE", `/models/${model}`)).toMatchObject({ status: 200, body: { state: "on_disk" } });
    const { body } = await api.ask("POST", "/models/load", { model });
    expect(await api.ended(body.task_id)).toMatchObject({ state: "completed" });
    expect(await state()).toBe("loaded");
    expect(await api.ask("DELETE", `/models/${model}?purge=true`)).toMatchObject({ body: { state: "absent" } });
    expect(await (await fetch(`${ollama.url}/api/tags`)).json()).toEqual({ models: [] });
  });

  it("stops and starts its workers", async () => {
    const model = registry.publish("warm:latest", tinyLlama({ seed: 8 }));
    await api.ended(await api.pull(model));
    const stopped = await api.ask("POST", "/workers/stop");
    expect(stopped).toMatchObject({ status: 202, body: { task_ids: [stopped.body.task_id] } });
    expect(await api.ended(stopped.body.task_id)).toMatchObject({ state: "completed" });
    expect((await api.ask("GET", "/workers")).body.workers).toMatchObject([{ name: "w1", state: "stopped" }]);
    expect(await (await fetch(`${ollama.url}/api/ps`)).json()).toEqual({ models: [] });
    expect(await api.ended(await api.pull(model))).toMatchObject({ state: "failed", attempts: { made: 1 } });
    const started = await api.ask("POST", "/workers/start", { worker: "w1" });
    expect(await api.ended(started.body.task_id)).toMatchObject({ state: "completed" });
    expect((await api.ask("GET", `/models/${model}/status`)).body.state).toBe("loaded");
  });

  it("refuses names that lead elsewhere, however they are sent", async () => {
    const paths = [
      "../../etc/passwd",
      "..%2f..%2fetc%2fpasswd",
      "169.254.169.254/latest/meta-data",
      "%00",
      "a/../../b",
    ];
    expect(await Promise.all(paths.map((path) => rawStatus(`/models/${path}/status`)))).toEqual(paths.map(() => 422));
    const { status, body } = await api.ask("POST", "/models/pull", { model: "127.0.0.1:6379/library/x" });
    expect([status, body.code]).toEqual([422, "invalid_model_name"]);
  });

  it("takes new tokens without a restart, and leaves the old ones out", async () => {
    const status = async (token?: string) => (await api.ask("GET", "/tasks", undefined, token ?? "")).status;
    expect([await status(OPERATE), await status(READ), await status("next")]).toEqual([200, 200, 401]);
    api.replaceTokens({ operator: "next" });
    await waitFor("the new token to be valid", async () => ((await status("next")) === 200 ? true : undefined), 5);
    expect([await status(OPERATE), await status(READ)]).toEqual([401, 401]);
    api.replaceTokens({ operator: OPERATE, viewer: READ });
    await waitFor("the old tokens to be valid again", async () => ((await status(READ)) === 200 ? true : undefined), 5);
  });

  it("measures what it does, on a port of its own", async () => {
    const text = await (await fetch(api.metricsUrl)).text();
    expect(text).toMatch(/model_control_tasks_finished_total\{kind="pull",outcome="completed"\} [2-9]/);
    expect(text).toContain('model_control_worker_state{worker="w1",backend="ollama",state="running"} 1');
    expect(text).toContain("model_control_queue_up 1");
    expect((await api.ask("GET", "/metrics")).status).toBe(404);
  });

  it("traces a task from its request to the engine's calls, and names the trace in its log", async () => {
    const spans = await waitFor(
      "spans",
      async () => {
        const all = traces.spans();
        const task = all.find(({ name }) => name === "task pull");
        return task && all.some(({ name, traceId }) => name === "POST" && traceId === task.traceId) ? all : undefined;
      },
      20,
    );
    const task = spans.find(({ name }) => name === "task pull");
    const request = spans.find(({ spanId }) => spanId === task?.parentSpanId);
    expect(request?.traceId).toBe(task?.traceId);
    expect(api.process.output()).toMatch(new RegExp(`"trace_id":"${task?.traceId}".*"msg":"task started"`));
  });

  it("keeps secrets out of its log", () => {
    const log = api.process.output();
    expect(log).toContain('"msg":"request answered"');
    for (const secret of [PASSWORD, OPERATE, READ]) {
      expect(log).not.toContain(secret);
    }
  });

  it("ends in good order when it is asked to", async () => {
    await api.process.terminate();
    expect(api.process.output()).toContain("shutting down");
    expect(api.process.output()).not.toContain("not everything ended in time");
    await api.process.start();
  });
});
