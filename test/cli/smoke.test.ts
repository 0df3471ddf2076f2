import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { useFolder } from "./run";
import { failures, operatorToken, smoke, smokeReport, statuses, steps } from "./smoke-run";
import { closeServers, controlApi, ollama, openAi, type Reply, STREAMED_ANSWER, serve } from "./smoke-servers";

const folder = useFolder();
const tokenFile = operatorToken();
afterAll(closeServers);

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
