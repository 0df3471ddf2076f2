import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { useFolder } from "./run";
import { failures, smoke, smokeReport, statuses } from "./smoke-run";
import {
  ANSWER,
  CUT_ANSWER,
  closeServers,
  controlApi,
  EMPTY_ANSWER,
  ollama,
  openAi,
  type Reply,
  SHORT_ANSWER,
  STREAMED_ANSWER,
  serve,
} from "./smoke-servers";

const folder = useFolder();
const tokenFile = join(folder, "token");
beforeAll(() => writeFileSync(tokenFile, "operator\n"));
afterAll(closeServers);

afterEach(() => void vi.useRealTimers());

/** Deadlines pass when a server calls what this returns, not when a slow machine has taken its time: one test at a time. */
function stoppedTimers(): () => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return () => void vi.advanceTimersByTime(300_000);
}

/** The same for those who look at the clock after each answer. */
function stoppedClock(): () => void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 0.5;
    return now;
  });
  return () => {
    now += 300_000;
  };
}

/** Runs the check on the model that all fake servers have. */
const steps = (...argv: string[]) => smokeReport(...argv, "--model", "chat:latest");

describe("a platform that is well", () => {
  it("passes the five steps that apply to an Ollama alone, and leaves the model as it was", async () => {
    const server = await ollama();
    const result = await steps("--url", server.url);
    expect([result.status, result.passed]).toEqual([0, true]);
    expect(statuses(result)).toEqual([
      "health passed",
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload passed",
      "stop worker not applicable",
    ]);
    expect(result.steps[2]?.figures).toMatchObject({ tokens: 4 });
    expect(result.steps[3]?.figures?.requests).toHaveLength(5);
    expect(server.requests.filter(({ path }) => path === "/v1/chat/completions")).toHaveLength(6);
    const after = await fetch(`${server.url}/api/ps`);
    expect(await after.json()).toEqual({ models: [] });
  });

  it("loads a model again that was loaded before, and keeps it when asked to", async () => {
    const server = await ollama({}, true);
    const again = await steps("--url", server.url);
    expect(again.steps[5]).toMatchObject({ status: "passed", figures: { reloaded: true } });
    const kept = await steps("--url", server.url, "--keep-loaded");
    expect(kept.steps[5]).toMatchObject({ status: "skipped", detail: "--keep-loaded was given" });
  });

  it("passes through the control API, which stops and starts the worker only when asked to", async () => {
    const [engine, control] = [await ollama(), await controlApi()];
    const argv = ["--url", engine.url, "--control-url", control.url, "--token-file", tokenFile];
    const careful = await steps(...argv);
    expect(careful.status).toBe(0);
    expect(careful.steps[6]).toMatchObject({ status: "skipped", detail: expect.stringContaining("--stop-worker") });
    expect(engine.requests.map(({ path }) => path)).not.toContain("/api/pull");
    expect(careful.steps[0]?.detail).toBe(
      "control api, queue, backend ok · gpu available: unknown · model loaded: no · Ollama 0.32.15 serves 1 model",
    );
    const whole = await steps(...argv, "--stop-worker");
    expect(statuses(whole)).toEqual([
      "health passed",
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload passed",
      "stop worker passed",
    ]);
    const changes = control.requests.filter(({ method, path }) => method === "POST" && path.startsWith("/workers/"));
    expect(changes.map(({ path, body }) => [path, body.worker])).toEqual([
      ["/workers/stop", "gpu-1"],
      ["/workers/start", "gpu-1"],
    ]);
  });

  it("does not count what an OpenAI API cannot do as passed", async () => {
    const server = await openAi();
    const result = await steps("--url", `${server.url}/v1/`);
    expect([result.status, ...statuses(result)]).toEqual([
      0,
      "health passed",
      "pull not applicable",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload not applicable",
      "stop worker not applicable",
    ]);
  });

  it("asks a server group or a node on its own paths, for the model that it is told", async () => {
    const node = await serve({
      "GET /inference-cluster/health": () => ({ body: { status: "ok" } }),
      "POST /inference-cluster/infer": () => STREAMED_ANSWER,
    });
    const url = `${node.url}/inference-cluster`;
    const result = await smokeReport("--url", url, "--model", "llama3.1:70b");
    expect([result.status, ...statuses(result)]).toEqual([
      0,
      "health passed",
      "pull not applicable",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload not applicable",
      "stop worker not applicable",
    ]);
    expect(result.steps[0]?.detail).toBe("Inference node says ok");
    expect(node.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /inference-cluster/health",
      ...Array.from({ length: 6 }, () => "POST /inference-cluster/infer"),
    ]);
    expect(node.requests[1]?.body).toMatchObject({ model: "llama3.1:70b", stream: true });
    const unnamed = await smokeReport("--url", url);
    expect(failures(unnamed).pull).toContain("a node does not say which it serves | --model");
  });

  it.each(["degraded", "unhealthy"])("fails with a node's own word: %s", async (health) => {
    const node = await serve({ "GET /health": () => ({ status: 503, body: { status: health } }) });
    const result = await smokeReport("--url", node.url, "--model", "chat");
    expect(result.status).toBe(1);
    expect(failures(result).health).toContain(` | ${health} | `);
  });

  it("prints a table of all steps, and lines on the other stream while it runs", async () => {
    const server = await openAi();
    const { status, out, err } = await smoke("--url", server.url, "--concurrency", "2");
    expect(status).toBe(0);
    expect(out).toContain(`inference-stacks smoke · ${server.url} · chat:latest\n`);
    expect(out).toMatch(/^1\/7 {2}health +✓ passed +\d+\.\d s {2}OpenAI API serves 1 model$/m);
    expect(out).toMatch(
      /^3\/7 {2}latency +✓ passed .* first token \d+ ms · whole answer \d+ ms · 4 tokens · [\d.]+ tokens\/s/m,
    );
    expect(out).toMatch(/^4\/7 {2}concurrency +✓ passed .* 2 of 2 answered: \d+ ms, \d+ ms$/m);
    expect(out).toMatch(/^7\/7 {2}stop worker +– not applicable/m);
    expect(out).toMatch(/\n3 passed · 4 not applicable\n$/);
    expect(err).toMatch(/^✓ health: passed after \d+\.\d s$/m);
  });

  it("sends each secret to its own server only", async () => {
    const keyFile = join(folder, "api-key");
    writeFileSync(keyFile, "user-key");
    const [engine, control] = [await ollama(), await controlApi()];
    const argv = [
      "--url",
      engine.url,
      "--control-url",
      control.url,
      "--token-file",
      tokenFile,
      "--api-key-file",
      keyFile,
    ];
    const { out, err } = await smoke(...argv, "--model", "chat:latest");
    expect(new Set(engine.requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer user-key"]));
    expect(new Set(control.requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer operator"]));
    expect(`${out}${err}`).not.toMatch(/user-key|operator/);
  });

  it("uses another name in requests where the gateway has one", async () => {
    const [engine, control] = [await openAi(), await controlApi()];
    await steps(
      "--url",
      engine.url,
      "--control-url",
      control.url,
      "--token-file",
      tokenFile,
      "--served-model",
      "support",
    );
    const asked = engine.requests.filter(({ path }) => path === "/v1/chat/completions");
    expect(new Set(asked.map(({ body }) => body.model))).toEqual(new Set(["support"]));
    expect(control.requests.find(({ path }) => path === "/models/pull")?.body).toEqual({ model: "chat:latest" });
  });
});

describe("1 health", () => {
  it("fails when nothing listens, and runs nothing else", async () => {
    const result = await steps("--url", "http://127.0.0.1:1");
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({ health: expect.stringContaining("nothing listens at http://127.0.0.1:1") });
    expect(
      statuses(result)
        .slice(1)
        .every((line) => line.endsWith("skipped")),
    ).toBe(true);
  });

  it("fails and falls back to Ollama when the control API is away", async () => {
    const server = await ollama();
    const result = await steps("--url", server.url, "--control-url", "http://127.0.0.1:1");
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({
      health: expect.stringContaining("the model control API answers at --control-url"),
    });
    expect(result.notes).toEqual(["the control API is away: Ollama is asked directly instead"]);
    expect(statuses(result).slice(1, 6)).toEqual([
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload passed",
    ]);
  });

  it("names the checks of an unhealthy control API", async () => {
    const checks = { control_api: { ok: true, detail: "" }, queue: { ok: false, detail: "redis refuses connections" } };
    const control = await controlApi({ "GET /health": () => ({ status: 503, body: { healthy: false, checks } }) });
    const server = await ollama();
    const result = await steps("--url", server.url, "--control-url", control.url, "--token-file", tokenFile);
    expect(failures(result).health).toContain("queue: redis refuses connections");
    expect(result.steps[1]?.status).toBe("passed");
  });

  it.each<[string, Reply, string]>([
    ["a web page", { body: "<html>hello</html>" }, "whether this is the right server"],
    [
      "a refused key",
      { status: 401, body: { error: { message: "invalid api key" } } },
      "invalid api key | --api-key-file",
    ],
    ["a broken server", { status: 500, body: "boom" }, "status 500: boom"],
  ])("fails for %s", async (_, reply, words) => {
    const server = await serve({ "GET /*": () => reply });
    expect(failures(await steps("--url", server.url)).health).toContain(words);
  });

  it("fails when the control API's answer is of another form", async () => {
    const control = await controlApi({ "GET /health": () => ({ body: { status: "fine" } }) });
    const result = await steps("--url", (await ollama()).url, "--control-url", control.url);
    expect(failures(result).health).toContain("an answer of another form");
  });
});

// Concurrent where a test waits for a step's time to be over.
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

describe("3 latency", () => {
  it.each<[string, Reply, string]>([
    ["an error status", { status: 503, body: { error: { message: "overloaded" } } }, "status 503: overloaded"],
    ["an unknown name", { status: 404, body: { error: { message: "no such model" } } }, "--served-model"],
    ["no token", EMPTY_ANSWER, "no token"],
    ["an answer that is no stream", { body: { choices: [] } }, "no token: "],
    ["an answer that ends early", SHORT_ANSWER, "cut off after 1 tokens"],
    ["a cut connection", CUT_ANSWER, "was cut off"],
    ["an error in the stream", { body: 'data: {"error":{"message":"out of memory"}}\n\n' }, "out of memory"],
  ])("fails for %s, and skips the concurrent requests", async (_, reply, words) => failsFor(() => reply, words));

  it("fails for silence, and skips the concurrent requests", async () => {
    const timeIsOver = stoppedTimers();
    const silence = () => {
      timeIsOver();
      return { hang: true };
    };
    await failsFor(silence, "no answer within 300 s");
  });

  async function failsFor(answer: () => Reply, words: string) {
    const server = await openAi({ "POST /v1/chat/completions": answer });
    const result = await steps("--url", server.url);
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({ latency: expect.stringContaining(words) });
    expect(result.steps[3]).toMatchObject({ status: "skipped", detail: "latency did not pass" });
  }
});

describe("the speed of an answer", () => {
  async function figures(answer: Reply): Promise<Record<string, number>> {
    const server = await openAi({ "POST /v1/chat/completions": () => answer });
    return (await steps("--url", server.url)).steps[2]?.figures as Record<string, number>;
  }

  it("counts from the first token on, where tokens come one by one", async () => {
    const { firstTokenMs = 0, totalMs = 0, tokens, tokensPerSecond, streamed } = await figures(STREAMED_ANSWER);
    expect([tokens, streamed]).toEqual([4, true]);
    expect(totalMs - firstTokenMs).toBeGreaterThan(50);
    expect((Number(tokensPerSecond) * (totalMs - firstTokenMs)) / 3000).toBeCloseTo(1, 1);
  });

  it("counts the whole time, and says so, where the answer is kept on the way until it is whole", async () => {
    const { totalMs = 0, tokensPerSecond, streamed } = await figures(ANSWER);
    expect(streamed).toBe(false);
    // Both are rounded to a tenth, which is much of an answer that takes less than a millisecond.
    const exactMs = 4000 / Number(tokensPerSecond);
    expect(Math.abs(exactMs - totalMs)).toBeLessThanOrEqual(0.051 + totalMs / 1000);
    const { out } = await smoke("--url", (await openAi()).url);
    expect(out).toContain("came in one piece");
  });
});

describe("4 concurrency", () => {
  it("fails when one of five requests does not answer, and says how many did", async () => {
    let requests = 0;
    const server = await openAi({
      "POST /v1/chat/completions": () => {
        requests += 1;
        return requests === 3 ? { status: 503, body: { error: "server busy" } } : ANSWER;
      },
    });
    const result = await steps("--url", server.url);
    expect(result.status).toBe(1);
    expect(failures(result)).toEqual({
      concurrency: expect.stringMatching(
        /all 5 requests at once answer \| 4 did \(.*failed.*\); status 503: server busy/,
      ),
    });
  });
});

describe("5 asynchronous inference", () => {
  const item = { index: 0, state: "completed", text: "one two", finish_reason: "stop", attempts: 1 };
  const completed = { task_id: "inference-1", state: "completed", progress: 100, items: [item] };

  async function asked(...answers: readonly object[]) {
    return askedOf((look) => ({ body: answers[Math.min(look, answers.length - 1)] }));
  }

  /** @param reply to each look at the answer, from 0. */
  async function askedOf(reply: (look: number) => Reply) {
    let looks = 0;
    const control = await controlApi({
      "POST /inference": () => ({ status: 202, body: { task_id: "inference-1" } }),
      "GET /inference/*": () => reply(looks++),
      "DELETE /inference/*": () => ({ status: 204 }),
    });
    const argv = ["--url", (await ollama()).url, "--control-url", control.url, "--token-file", tokenFile];
    const result = await steps(...argv, "--max-tokens", "7", "--prompt", "Hello");
    const calls = control.requests.filter(({ path }) => path.startsWith("/inference"));
    return { result, step: result.steps[4], calls };
  }

  it("hands a prompt in, waits for its answer, and has both deleted", async () => {
    const queued = {
      ...completed,
      state: "queued",
      progress: 0,
      step: "loading",
      items: [{ ...item, text: undefined }],
    };
    const answered = { ...item, completion_tokens: 2, waited_seconds: 0.25 };
    const { step, calls } = await asked(queued, { ...completed, items: [answered] });
    expect(step).toMatchObject({ status: "passed", figures: { tokens: 2, waitedSeconds: 0.25, finishReason: "stop" } });
    expect(step?.detail).toMatch(/^answered after .* · 2 tokens · waited 250 ms for the engine$/);
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /inference",
      "GET /inference/inference-1",
      "GET /inference/inference-1",
      "DELETE /inference/inference-1",
    ]);
    const messages = [{ role: "user", content: "Hello" }];
    expect(calls[0]?.body).toEqual({ model: "chat:latest", messages, options: { max_tokens: 7 } });
  });

  it("fails with the reason of the prompt, and deletes it all the same", async () => {
    const error = { code: "engine_failed", detail: "no engine answered" };
    const { result, calls } = await asked({
      ...completed,
      state: "failed",
      error: "no engine answered",
      items: [{ ...item, state: "failed", text: undefined, finish_reason: "error", error }],
    });
    expect(failures(result)).toEqual({
      "asynchronous inference": expect.stringContaining("failed: no engine answered | GET /inference/inference-1"),
    });
    expect(calls.at(-1)?.method).toBe("DELETE");
  });

  it("fails with what it waited for when its time is over", async () => {
    const timeIsOver = stoppedTimers();
    const { result, calls } = await askedOf((look) => {
      if (look > 0) {
        timeIsOver();
      }
      return { body: { ...completed, state: "queued", step: "pulling 3 %", items: [{ index: 0 }] } };
    });
    expect(failures(result)["asynchronous inference"]).toContain("queued: pulling 3 % | what it waits for");
    expect(calls.at(-1)?.method).toBe("DELETE");
  });

  it("does not count an empty answer, and does not apply to an engine that answers no chats", async () => {
    const empty = await asked({ ...completed, items: [{ ...item, text: undefined }] });
    expect(failures(empty.result)["asynchronous inference"]).toContain("one without text");
    const error = { code: "not_supported", detail: "no chats" };
    const other = await asked({ ...completed, state: "failed", items: [{ ...item, text: undefined, error }] });
    expect(other.step).toMatchObject({
      status: "not applicable",
      detail: "the engine of chat:latest answers no chats",
    });
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
