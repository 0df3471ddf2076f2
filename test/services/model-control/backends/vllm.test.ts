import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VllmBackend } from "../../../../services/model-control/src/backends/vllm";
import { NotSupported, UnknownModel } from "../../../../services/model-control/src/errors";
import { HttpStub, type StubAnswer, type StubRequest } from "../http-stub";

const signal = new AbortController().signal;
const QWEN = "Qwen/Qwen3-8B";

/** vLLM's routes, with and without VLLM_SERVER_DEV_MODE=1 and --enable-sleep-mode. */
class VllmStub {
  devMode = true;
  sleepMode = true;
  sleeping = false;
  requests = 3;
  running = 0;
  waiting = 0;
  /** With --enable-server-load-tracking. */
  load = 0;

  answer({ method, path }: StubRequest): StubAnswer {
    switch (`${method} ${path}`) {
      case "GET /health":
        return { body: "" };
      case "GET /version":
        return { body: { version: "0.33.0" } };
      case "GET /load":
        return { body: { server_load: this.load } };
      case "GET /v1/models":
        return { body: { object: "list", data: [{ id: QWEN }, { id: "an-adapter" }] } };
      case "GET /metrics":
        return {
          body: [
            "# TYPE vllm:request_success_total counter",
            `vllm:request_success_total{engine="0",finished_reason="stop",model_name="${QWEN}"} ${this.requests}.0`,
            `vllm:request_success_total{engine="0",finished_reason="length",model_name="${QWEN}"} 2.0`,
            `vllm:num_requests_running{engine="0",model_name="${QWEN}"} ${this.running}.0`,
            `vllm:num_requests_waiting{engine="0",model_name="${QWEN}"} ${this.waiting}.0`,
            `vllm:num_requests_waiting_by_reason{engine="0",model_name="${QWEN}",reason="capacity"} 7.0`,
          ].join("\n"),
        };
    }
    if (!this.devMode) {
      return { status: 404, body: { detail: "Not Found" } };
    }
    if (method === "POST" && path.startsWith("/sleep?")) {
      this.sleeping = this.sleepMode;
    } else if (`${method} ${path}` === "POST /wake_up") {
      this.sleeping = false;
    } else if (`${method} ${path}` !== "GET /is_sleeping") {
      return { status: 404, body: { detail: "Not Found" } };
    }
    return path === "/is_sleeping" ? { body: { is_sleeping: this.sleeping } } : { body: "" };
  }
}

describe("a vLLM server", () => {
  let vllm: VllmStub;
  let stub: HttpStub;
  let backend: VllmBackend;

  beforeEach(async () => {
    vllm = new VllmStub();
    stub = await HttpStub.listen((request) => vllm.answer(request));
    backend = new VllmBackend(stub.url, { models: [QWEN], timeouts: { unloadSeconds: 0.5 } });
  });
  afterEach(() => stub.close());

  test("tells its version, and the models that it was started with", async () => {
    expect(await backend.health(signal)).toEqual({ version: "0.33.0" });
    const awake = { name: QWEN, loaded: true, canUnload: true };
    expect(await backend.models(signal)).toEqual([{ ...awake, useMark: "5", inUse: false }]);
    vllm.requests = 4;
    expect(await backend.models(signal)).toEqual([{ ...awake, useMark: "6", inUse: false }]);
  });

  test.each(["running", "waiting"] as const)("is in use while requests are %s", async (state) => {
    expect(await backend.inUse(QWEN, signal)).toBe(false);
    vllm[state] = 1;
    expect(await backend.inUse(QWEN, signal)).toBe(true);
    expect(await backend.models(signal)).toMatchObject([{ inUse: true }]);
  });

  test("sleeps at level 1 after its running requests, and wakes", async () => {
    await backend.unload(QWEN, signal);
    expect(stub.asked).toContain("POST /sleep?level=1&mode=wait");
    expect(await backend.models(signal)).toEqual([{ name: QWEN, loaded: false, canUnload: true }]);
    await backend.load(QWEN, signal);
    expect(vllm.sleeping).toBe(false);
  });

  test("tells that requests wait for what sleeps, and of nothing else", async () => {
    vllm.load = 2;
    expect(await backend.awaited(signal)).toEqual([]);
    vllm.sleeping = true;
    expect(await backend.awaited(signal)).toEqual([QWEN]);
    vllm.load = 0;
    expect(await backend.awaited(signal)).toEqual([]);
    vllm.load = 1;
    vllm.devMode = false;
    expect(await backend.awaited(signal)).toEqual([]);
  });

  test("without the development routes it is loaded, and cannot be unloaded", async () => {
    vllm.devMode = false;
    expect(await backend.models(signal)).toMatchObject([{ loaded: true, canUnload: false }]);
    await backend.load(QWEN, signal);
    await expect(backend.unload(QWEN, signal)).rejects.toThrow(NotSupported);
    await expect(backend.unload(QWEN, signal)).rejects.toThrow("--enable-sleep-mode and VLLM_SERVER_DEV_MODE=1");
  });

  test("without the sleep mode it takes the call, stays awake, and that is said", async () => {
    vllm.sleepMode = false;
    await expect(backend.unload(QWEN, signal)).rejects.toThrow(NotSupported);
  });

  test("refuses what it does not serve, and what it cannot", async () => {
    await expect(backend.load("an-adapter", signal)).rejects.toThrow(UnknownModel);
    await expect(backend.pull(QWEN, () => undefined, signal)).rejects.toThrow(NotSupported);
    await expect(backend.purge(QWEN, signal)).rejects.toThrow(NotSupported);
  });
});
