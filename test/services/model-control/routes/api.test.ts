import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineUnavailable, NoRoom, QueueUnavailable } from "../../../../services/model-control/src/errors";
import type { Server } from "../../../../services/model-control/src/routes/surroundings";
import { createLogger } from "../../../../services/model-control/src/telemetry/logger";
import { type Asked, askApi, type Method, OPERATE, PULL, READ, testApi } from "../api";
import { type FakeFleet, model } from "../fake-fleet";
import type { FakeTasks } from "../fake-tasks";

let server: Server;
let fleet: FakeFleet;
let tasks: FakeTasks;

beforeEach(async () => {
  ({ server, fleet, tasks } = await testApi());
});
afterEach(() => server.close());

const ask = (...asked: Asked) => askApi(server, ...asked);

describe("models", () => {
  it("are pulled by a task", async () => {
    const answer = await ask("POST", "/models/pull", { model: "llama3.2" });
    expect(answer).toMatchObject({ status: 202, body: { task_id: "pull-1" } });
    await ask("POST", "/models/pull", { model: "llama3.2", load: false, worker: "w2" });
    expect(tasks.requests).toEqual([
      { kind: "pull", model: "llama3.2:latest", load: true, worker: undefined },
      { kind: "pull", model: "llama3.2:latest", load: false, worker: "w2" },
    ]);
  });

  it("are loaded from disk, by a running pull, or not at all", async () => {
    fleet.reports.set("a:1", model("a:1", "on_disk"));
    fleet.reports.set("b:1", model("b:1", "pulling"));
    expect(await ask("POST", "/models/load", { model: "a:1" })).toMatchObject({ status: 202 });
    expect(await ask("POST", "/models/load", { model: "b:1" })).toMatchObject({ status: 202 });
    expect(await ask("POST", "/models/load", { model: "c:1" })).toMatchObject({
      status: 404,
      body: { code: "unknown_model", detail: "no worker has c:1 on disk; pull it first (POST /models/pull)" },
    });
    expect(tasks.requests).toEqual([
      { kind: "load", model: "a:1" },
      { kind: "pull", model: "b:1", load: true },
    ]);
  });

  it.each([
    "/models/hf.co/user/repo:Q4/status",
    "/models/hf.co%2Fuser%2Frepo:Q4/status",
    "/models/hf.co%2Fuser%2Frepo%3AQ4/status",
    "/models/hf.co/user/repo%3aQ4/status?x=1",
  ])("tell their state at %s", async (url) => {
    fleet.reports.set("hf.co/user/repo:Q4", model("hf.co/user/repo:Q4", "loaded"));
    expect(await ask("GET", url, undefined, READ)).toMatchObject({
      status: 200,
      body: {
        model: "hf.co/user/repo:Q4",
        state: "loaded",
        placements: [{ worker: "w1", disk_bytes: 10, last_used: "1970-01-01T00:00:00.000Z" }],
      },
    });
  });

  it("may be called status", async () => {
    expect(await ask("GET", "/models/foo/status/status")).toMatchObject({ body: { model: "foo/status:latest" } });
    expect(await ask("GET", "/models/status")).toMatchObject({ status: 405 });
  });

  it("are unloaded, and deleted with purge", async () => {
    fleet.reports.set("a:1", model("a:1", "loaded"));
    expect(await ask("DELETE", "/models/a:1")).toMatchObject({ status: 200, body: { state: "on_disk" } });
    expect(await ask("DELETE", "/models/a:1?purge=true")).toMatchObject({ status: 200, body: { state: "absent" } });
    expect(await ask("DELETE", "/models/a:1?purge=yes")).toMatchObject({ status: 400 });
    expect(fleet.calls).toEqual(["unload a:1", "model a:1", "purge a:1", "model a:1"]);
  });

  it.each([
    "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd",
    "%2e%2e/%2e%2e/etc",
    "a/..%2f..%2fb",
    "169.254.169.254/latest/meta-data",
    "http:%2F%2Flocalhost/x",
    "a%00b",
    "a%252Fb",
    "evil.example/a/b",
  ])("with the name %s are refused, and no engine hears of it", async (name) => {
    const answers = [
      await ask("GET", `/models/${name}/status`),
      await ask("DELETE", `/models/${name}`),
      await ask("POST", "/models/pull", { model: decodeURIComponent(name) }),
      await ask("POST", "/models/load", { model: decodeURIComponent(name) }),
    ];
    // Dots that climb are cut out of an address by whoever makes it: what is left is no model's address.
    const addresses = /^(%2e|\.){2}\//.test(name) ? 404 : 422;
    expect(answers.map(({ status }) => status)).toEqual([addresses, addresses, 422, 422]);
    expect(answers[2]?.body).toMatchObject({ code: "invalid_model_name" });
    expect([fleet.calls, tasks.requests]).toEqual([[], []]);
  });
});

describe("workers", () => {
  it.each([
    ["no body", undefined],
    ["an empty body", {}],
    ["all", { all: true }],
  ])("are all stopped with %s", async (_, body) => {
    expect(await ask("POST", "/workers/stop", body)).toMatchObject({
      status: 202,
      body: { task_ids: ["stop-1", "stop-2"] },
    });
  });

  it("are started one by one", async () => {
    const { status, body } = await ask("POST", "/workers/start", { worker: "w2" });
    expect([status, body]).toEqual([202, { task_ids: ["start-1"], task_id: "start-1" }]);
    expect(tasks.requests).toEqual([{ kind: "start", worker: "w2" }]);
  });

  it("take the header without a body", async () => {
    const headers = { ...OPERATE, "content-type": "application/json" };
    expect(await ask("POST", "/workers/stop", "", headers)).toMatchObject({ status: 202 });
  });

  it("that are not there are not stopped", async () => {
    expect(await ask("POST", "/workers/stop", { worker: "w9" })).toMatchObject({
      status: 404,
      body: { code: "unknown_worker", detail: 'there is no worker "w9"; there are: w1, w2' },
    });
    expect(await ask("POST", "/models/pull", { model: "a", worker: "w9" })).toMatchObject({ status: 404 });
    expect(tasks.requests).toEqual([]);
  });

  it("are listed", async () => {
    expect(await ask("GET", "/workers")).toMatchObject({
      body: { workers: [{ name: "w1", state: "running", memory: { budget_bytes: 100, used_bytes: 10 } }] },
    });
  });
});

describe("tasks", () => {
  it("are told, listed and cancelled", async () => {
    await ask("POST", "/models/pull", { model: "a" });
    await ask("POST", "/models/pull", { model: "b" });
    expect(await ask("GET", "/tasks/pull-1/status", undefined, READ)).toMatchObject({
      status: 200,
      body: { task_id: "pull-1", kind: "pull", model: "a:latest", state: "queued", progress: 0 },
    });
    expect(await ask("GET", "/tasks?limit=1")).toMatchObject({ body: { tasks: [{ task_id: "pull-2" }] } });
    expect(await ask("DELETE", "/tasks/pull-1")).toMatchObject({
      status: 202,
      body: { state: "failed", error: "cancelled" },
    });
    expect(await ask("GET", "/tasks/pull-9/status")).toMatchObject({ status: 404, body: { code: "unknown_task" } });
    expect(await ask("GET", "/tasks?limit=0")).toMatchObject({ status: 400 });
  });
});

describe("callers", () => {
  it.each([
    ["GET", "/models"],
    ["GET", "/models/a:1/status"],
    ["GET", "/tasks"],
    ["GET", "/tasks/x/status"],
    ["GET", "/workers"],
  ] as const)("read with any token, and not without: %s %s", async (method, url) => {
    expect((await ask(method, url, undefined, {})).status).toBe(401);
    expect((await ask(method, url, undefined, { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await ask(method, url, undefined, READ)).status).not.toBe(401);
    expect((await ask(method, url, undefined, READ)).status).not.toBe(403);
  });

  it.each([
    ["POST", "/models/pull", "pull"],
    ["POST", "/models/load", "operate"],
    ["DELETE", "/models/a:1", "operate"],
    ["DELETE", "/models/a:1?purge=true", "operate"],
    ["DELETE", "/tasks/x", "operate"],
    ["POST", "/workers/stop", "operate"],
    ["POST", "/workers/start", "operate"],
  ] as const)("change nothing with a reader's token: %s %s", async (method, url, scope) => {
    expect(await ask(method, url, undefined, {})).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="model-control"' },
    });
    expect(await ask(method, url, undefined, READ)).toMatchObject({
      status: 403,
      body: { code: "forbidden", detail: `the token viewer lacks the scope "${scope}"` },
      headers: { "www-authenticate": expect.stringContaining(`error="insufficient_scope", scope="${scope}"`) },
    });
    // Who fetches the warm models must not be able to delete or to stop anything.
    if (scope === "operate") {
      expect(await ask(method, url, undefined, PULL)).toMatchObject({ status: 403 });
    }
    expect([fleet.calls, tasks.requests]).toEqual([[], []]);
  });

  it("learn nothing of addresses without a token", async () => {
    expect((await ask("GET", "/nothing", undefined, {})).status).toBe(401);
  });

  it("are refused before their body is read", async () => {
    const { status } = await ask("POST", "/models/pull", "{".repeat(1_000_000), { "content-type": "application/json" });
    expect(status).toBe(401);
  });
});

describe("limits", () => {
  it("count addresses that are not well formed, too", async () => {
    await server.close();
    ({ server } = await testApi({ limits: { anonymousRequestsPerMinute: 3 } }));
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await ask("GET", "/%zz", undefined, {})).status);
    }
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
  });

  it.each([
    [0, [200, 429, 429]],
    [1, [200, 429, 200]],
  ])("tell strangers behind %d proxies apart by what the farthest of them saw", async (proxies, expected) => {
    await server.close();
    ({ server } = await testApi({ listen: { proxies }, limits: { anonymousRequestsPerMinute: 1 } }));
    // Whoever calls may put anything before the address that the proxy adds.
    const from = (address: string) =>
      ask("GET", "/health", undefined, { "x-forwarded-for": `198.51.100.${Math.random()}, ${address}` });
    const statuses = [await from("203.0.113.1"), await from("203.0.113.1"), await from("203.0.113.2")];
    expect(statuses.map(({ status }) => status)).toEqual(expected);
  });

  it("count each token by itself, and strangers by their address", async () => {
    await server.close();
    ({ server } = await testApi({ limits: { requestsPerMinute: 2, anonymousRequestsPerMinute: 1 } }));
    const statuses = async (times: number, headers: Record<string, string>) => {
      const answers = [];
      for (let i = 0; i < times; i++) {
        answers.push((await ask("GET", "/tasks", undefined, headers)).status);
      }
      return answers;
    };
    expect(await statuses(3, OPERATE)).toEqual([200, 200, 429]);
    expect(await statuses(3, READ)).toEqual([200, 200, 429]);
    expect(await statuses(2, { authorization: "Bearer guess-1" })).toEqual([401, 429]);
    const { headers, body } = await ask("GET", "/tasks", undefined, { authorization: "Bearer guess-2" });
    expect(body).toMatchObject({ status: 429, code: "too_many_requests" });
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect((await ask("GET", "/livez", undefined, {})).status).toBe(200);
  });

  it.each([
    ["PUT", "/models", "GET, HEAD"],
    ["GET", "/models/pull", "POST"],
    ["PUT", "/models/load", "POST"],
    ["GET", "/models/a:1", "DELETE"],
    ["POST", "/models/hf.co/a/b:1", "DELETE"],
    ["PUT", "/models/hf.co/a/b:1/status", "GET, HEAD"],
    ["POST", "/tasks/x", "DELETE"],
    ["PUT", "/workers/stop", "POST"],
  ] as const)("say which methods an address takes: %s %s", async (method, url, allow) => {
    expect(await ask(method, url)).toMatchObject({ status: 405, headers: { allow } });
  });

  it.each<[string, Method, string, object | string | undefined, Record<string, string>, number, string]>([
    ["a huge body", "POST", "/models/pull", { model: "x".repeat(70_000) }, {}, 413, "body_too_large"],
    [
      "a form",
      "POST",
      "/models/pull",
      "model=a",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "unsupported_media_type",
    ],
    ["broken JSON", "POST", "/models/pull", "{", { "content-type": "application/json" }, 400, "invalid_request"],
    ["no body", "POST", "/models/pull", undefined, {}, 400, "invalid_request"],
    ["an unknown field", "POST", "/models/pull", { model: "a", insecure: true }, {}, 400, "invalid_request"],
    ["another type", "POST", "/models/pull", { model: 7 }, {}, 400, "invalid_request"],
    [
      "a prototype",
      "POST",
      "/models/pull",
      '{"__proto__":{"x":1},"model":"a"}',
      { "content-type": "application/json" },
      400,
      "invalid_request",
    ],
    ["both of two", "POST", "/workers/stop", { worker: "w1", all: true }, {}, 400, "invalid_request"],
    ["a broken address", "GET", "/models/%zz/status", undefined, {}, 400, "invalid_request"],
    ["another method", "PUT", "/models/pull", undefined, {}, 405, "method_not_allowed"],
    ["another address", "GET", "/api/tags", undefined, {}, 404, "not_found"],
  ])("refuse %s", async (_, method, url, payload, headers, status, code) => {
    const answer = await ask(method, url, payload, { ...OPERATE, ...headers });
    expect(answer).toMatchObject({
      status,
      body: { type: "about:blank", status, code, title: expect.any(String), detail: expect.any(String) },
      headers: { "content-type": "application/problem+json" },
    });
    expect(tasks.requests).toEqual([]);
  });
});

describe("what is away", () => {
  it("is said for every route that needs the queue", async () => {
    tasks.away = new QueueUnavailable("the task queue at redis://x cannot be reached: no answer");
    for (const [method, url, body] of [
      ["POST", "/models/pull", { model: "a" }],
      ["GET", "/tasks", undefined],
      ["GET", "/tasks/x/status", undefined],
      ["DELETE", "/tasks/x", undefined],
      ["POST", "/workers/stop", undefined],
    ] as const) {
      expect(await ask(method, url, body)).toMatchObject({ status: 503, body: { code: "queue_unavailable" } });
    }
  });

  it("is said for engines, with their own status", async () => {
    fleet.errors.set("models", new EngineUnavailable("w1 did not answer"));
    expect(await ask("GET", "/models")).toMatchObject({ status: 503, body: { code: "engine_unavailable" } });
    fleet.errors.set("unload", new NoRoom("no room"));
    expect(await ask("DELETE", "/models/a:1")).toMatchObject({ status: 507, body: { code: "no_room" } });
    fleet.errors.set("workers", new DOMException("late", "TimeoutError"));
    expect(await ask("GET", "/workers")).toMatchObject({ status: 504, body: { code: "timeout" } });
  });

  it("is not told in detail when nobody expected it", async () => {
    const lines: string[] = [];
    const log = createLogger(
      new Writable({
        write: (chunk, _encoding, done) => {
          lines.push(String(chunk));
          done();
        },
      }),
    );
    await server.close();
    ({ server, fleet } = await testApi({}, { log }));
    fleet.errors.set("models", new TypeError("internal thing"));
    const { status, body, headers } = await ask("GET", "/models", undefined, { ...OPERATE, "x-request-id": "mine-1" });
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("internal thing");
    expect(headers["x-request-id"]).toBe("mine-1");
    expect(lines.join("")).toContain("internal thing");
    expect(lines.join("")).toContain('"request":"mine-1"');
    expect(lines.join("")).not.toContain("operate-token");
  });

  it("ends a request that takes too long", async () => {
    await server.close();
    ({ server, fleet } = await testApi({ limits: { requestTimeoutSeconds: 0.05 } }));
    fleet.workers = (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    expect(await ask("GET", "/workers")).toMatchObject({ status: 504, body: { code: "timeout" } });
  });
});
