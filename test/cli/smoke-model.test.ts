import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { stoppedClock, stoppedTimers } from "./smoke-clock";
import { failures, operatorToken, statuses, steps } from "./smoke-run";
import { closeServers, controlApi, ollama, openAi, type Reply } from "./smoke-servers";

const tokenFile = operatorToken();
afterAll(closeServers);
afterEach(() => void vi.useRealTimers());

describe("2 pull", () => {
  it("fails with Ollama's words, and skips what needs the model", async () => {
    const error = "pull model manifest: file does not exist";
    const server = await ollama({ "POST /api/pull": () => ({ body: `${JSON.stringify({ error })}\n` }) });
    const result = await steps("--url", server.url);
    expect(failures(result)).toEqual({ pull: expect.stringContaining(error) });
    expect(statuses(result).slice(2, 6)).toEqual([
      "latency skipped",
      "concurrency skipped",
      "asynchronous inference skipped",
      "unload skipped",
    ]);
  });

  it.each<[string, Reply, string]>([
    ["a stream that ends early", { body: '{"status":"pulling manifest"}\n' }, 'an end after "pulling manifest"'],
    ["a stream that is cut off", { body: '{"status":"pulling manifest"}\n', cut: true }, "was cut off"],
    ["another status", { status: 500, body: { error: "disk full" } }, "status 500: disk full"],
    ["a line that is no JSON", { body: "oops\n" }, "the line oops"],
  ])("fails for %s", async (_, reply, words) => {
    const server = await ollama({ "POST /api/pull": () => reply });
    expect(failures(await steps("--url", server.url)).pull).toContain(words);
  });

  it.each(["on disk", "loaded"])("passes without a registry for a model that is %s", async (where) => {
    const error = "pull model manifest: dial tcp: lookup registry.ollama.ai: no such host";
    const server = await ollama(
      {
        "POST /api/pull": () => ({ body: `${JSON.stringify({ error })}\n` }),
        "GET /api/tags": () => ({ body: { models: [{ name: "chat:latest" }] } }),
      },
      where === "loaded",
    );
    const result = await steps("--url", server.url);
    expect([result.status, failures(result)]).toEqual([0, {}]);
    expect(result.steps[1]?.detail).toBe(where === "loaded" ? "was loaded" : "was on disk, now loaded");
    expect(server.requests.some(({ path }) => path === "/api/pull")).toBe(false);
  });

  it("fails when the model is not in memory afterwards", async () => {
    const server = await ollama({ "GET /api/ps": () => ({ body: { models: [] } }) });
    expect(failures(await steps("--url", server.url)).pull).toContain("the state on_disk");
  });

  it("fails with the task's error", async () => {
    const task = { task_id: "1", state: "failed", progress: 10, error: "no room: 9.1 GiB are missing on gpu-1" };
    const control = await controlApi({ "GET /tasks/*": () => ({ body: task }) });
    const result = await steps("--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile);
    expect(failures(result).pull).toContain("no room: 9.1 GiB are missing on gpu-1");
  });

  it("fails when the task makes no progress", async () => {
    const timeIsOver = stoppedTimers();
    let looks = 0;
    const control = await controlApi({
      "GET /tasks/*": () => {
        looks += 1;
        if (looks > 1) {
          timeIsOver();
        }
        return { body: { task_id: "1", state: "queued", progress: 0 } };
      },
    });
    const result = await steps("--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile);
    expect(failures(result).pull).toContain("no progress for 300 s, last: queued");
  });

  it("says which file is missing when the token is refused", async () => {
    const [engine, control] = [await ollama(), await controlApi()];
    const result = await steps("--url", engine.url, "--control-url", control.url);
    expect(failures(result).pull).toMatch(/status 401: no token \| .*--token-file/);
  });

  it("fails when an OpenAI API does not serve the model", async () => {
    const server = await openAi({ "GET /v1/models": () => ({ body: { data: [{ id: "other" }] } }) });
    expect(failures(await steps("--url", server.url)).pull).toContain("other");
  });
});

describe("6 unload", () => {
  /** An Ollama that keeps its model in memory for longer than anybody waits. */
  function keepsLoaded() {
    const timeIsOver = stoppedClock();
    const loaded = () => {
      timeIsOver();
      return { body: { models: [{ name: "chat:latest" }] } };
    };
    return ollama({ "GET /api/ps": loaded }, true);
  }

  it("fails when the model stays in memory", async () => {
    const result = await steps("--url", (await keepsLoaded()).url);
    expect(failures(result)).toEqual({ unload: expect.stringContaining("it is still loaded after 300 s") });
  });

  it("does not take the control API at its word: Ollama must have unloaded too", async () => {
    const engine = await keepsLoaded();
    const control = await controlApi({}, { loaded: true, onDisk: true });
    const argv = ["--url", engine.url, "--control-url", control.url, "--token-file", tokenFile];
    expect(failures(await steps(...argv))).toEqual({ unload: expect.stringContaining("still loaded") });
  });

  it("fails with the control API's words", async () => {
    const problem = { title: "Conflict", status: 409, detail: "vLLM cannot unload", code: "not_supported" };
    const control = await controlApi({ "DELETE /models/*": () => ({ status: 409, body: problem }) });
    const result = await steps("--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile);
    expect(failures(result)).toEqual({ unload: expect.stringContaining("status 409: vLLM cannot unload") });
  });
});

describe("7 stop worker", () => {
  async function stopped(changes: Parameters<typeof controlApi>[0]) {
    const control = await controlApi(changes);
    const argv = ["--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile];
    return { control, result: await steps(...argv, "--stop-worker") };
  }

  it("fails when the worker does not stop, and starts it all the same", async () => {
    const timeIsOver = stoppedClock();
    const running = () => {
      timeIsOver();
      return { body: { workers: [{ name: "gpu-1", state: "draining" }] } };
    };
    const { control, result } = await stopped({ "GET /workers": running });
    expect(failures(result)).toEqual({
      "stop worker": expect.stringContaining("worker gpu-1 is stopped | draining after 300 s"),
    });
    expect(control.requests.map(({ path }) => path)).toContain("/workers/start");
    expect(control.state.worker).toBe("running");
  });

  it("fails when the stop is refused", async () => {
    const problem = { title: "Conflict", detail: "gpu-1 has no scale target", code: "not_supported" };
    const { result } = await stopped({ "POST /workers/stop": () => ({ status: 409, body: problem }) });
    expect(failures(result)).toEqual({ "stop worker": expect.stringContaining("gpu-1 has no scale target") });
  });

  it("fails when the worker does not come back", async () => {
    const timeIsOver = stoppedClock();
    const accepted = () => ({ status: 202, body: { task_ids: ["3"] } });
    let looks = 0;
    const listed = () => {
      looks += 1;
      if (looks > 1) {
        timeIsOver();
      }
      return { body: { workers: [{ name: "gpu-1", state: "stopped" }] } };
    };
    const { result } = await stopped({ "POST /workers/start": accepted, "GET /workers": listed });
    expect(failures(result)["stop worker"]).toMatch(
      /worker gpu-1 is running \| stopped after 300 s .*POST \/workers\/start/,
    );
  });
});
