/** What a node passes on to its engine and back: bytes, streams, and who calls. */
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { NodeConfigArgs } from "../../../components/node/envoy-config";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { TokenEngine } from "../gateway/token-engine";
import { sharedBySuite } from "../shared-by-suite";
import { CALLERS } from "./callers";
import { head, raw, statusOf } from "./raw-request";
import { type RealNode, startNode } from "./real-node";
import { TestEngine } from "./test-engine";

const VLLM = { engine: "vllm", servedName: "llama", task: "chat", node: { group: "inference-cluster" } } as const;
const MODELS: readonly (readonly [string, NodeConfigArgs["model"], string])[] = [
  ["chat", VLLM, "/v1/chat/completions"],
  ["completion", { ...VLLM, task: "completion" }, "/v1/completions"],
  ["embedding", { ...VLLM, engine: "ollama", task: "embedding" }, "/v1/embeddings"],
  ["rerank", { ...VLLM, task: "rerank" }, "/v2/rerank"],
  ["chat on TGI", { ...VLLM, engine: "tgi" }, "/v1/chat/completions"],
  ["completion on Triton", { ...VLLM, engine: "triton", task: "completion" }, "/v2/models/llama/generate"],
  ["embedding on Triton", { ...VLLM, engine: "triton", task: "embedding" }, "/v2/models/llama/infer"],
];
const JSON_TYPE = { "content-type": "application/json" };

let backend: TestEngine;
let node: RealNode;

beforeAll(async () => {
  backend = await TestEngine.start();
  node = await startNode({ model: VLLM, enginePort: backend.port });
});
afterAll(async () => {
  await node?.stop();
  await backend?.stop();
});
afterEach(() => {
  backend.asked.length = 0;
  backend.answer = (_, response) => void response.end("{}");
});

function infer(init: RequestInit = {}, path = "/infer"): Promise<Response> {
  return fetch(node.url + path, { method: "POST", body: "{}", ...init });
}

/** Lines of the access log about requests with this path, once there are so many. */
async function logged(path: string, count: number): Promise<Record<string, unknown>[]> {
  const lines = () => node.log().filter((line) => line.path === path);
  return waitFor(`${count} lines of ${path}`, async () => (lines().length >= count ? lines() : undefined));
}

describe.each(MODELS)("a node for %s", (_, model, path) => {
  const own = sharedBySuite(() => startNode({ model, enginePort: backend.port }));

  it("leads /infer and the engine's own path to it, by POST alone", async () => {
    for (const asked of ["/infer", path]) {
      expect((await fetch(own().url + asked, { method: "POST", body: "{}" })).status).toBe(200);
      for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]) {
        const refused = await fetch(own().url + asked, { method });
        expect([method, refused.status, refused.headers.get("allow")]).toEqual([method, 405, "POST"]);
        expect(refused.headers.get("content-type")).toBe("application/json");
      }
    }
    expect(backend.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${path}`, `POST ${path}`]);
  });

  it("answers nothing else of it", async () => {
    for (const other of [
      "/v1/models",
      "/v1/load_lora_adapter",
      "/api/pull",
      "/v2/repository/index",
      "/metrics",
      `${path}/x`,
    ]) {
      const refused = await fetch(own().url + other, { method: "POST", body: "{}" });
      expect([other, refused.status, refused.headers.get("content-type")]).toEqual([other, 404, "application/json"]);
      expect(await refused.json()).toMatchObject({ error: { code: "unknown_url", type: "invalid_request_error" } });
    }
    expect(backend.asked).toEqual([]);
  });
});

it("lets a Triton model's inputs be read, and no other model's", async () => {
  const triton = { ...VLLM, engine: "triton", task: "completion" } as const;
  const own = await startNode({ model: triton, enginePort: backend.port });
  const get = async (path: string) => (await fetch(own.url + path)).status;
  expect(await get("/v2/models/llama")).toBe(200);
  expect(await get("/v2/models/llama/ready")).toBe(200);
  expect(await get("/v2/models/other")).toBe(404);
  expect(await get("/v2/models/llama/trace/setting")).toBe(404);
  await own.stop();
});

describe("a body", () => {
  it.each([
    ["empty", Buffer.alloc(0)],
    ["of one byte", Buffer.from([0])],
    ["of any bytes, 5 MiB", randomBytes(5 * 2 ** 20)],
    ["with Windows' line ends and no JSON", Buffer.from('{"a":\r\n "ü\u0000" ,}\n\n')],
  ])("%s reaches the engine, and comes back, as it is", async (_, bytes) => {
    backend.answer = (incoming, response) => {
      response.setHeader("content-type", incoming.headers["content-type"] ?? "");
      incoming.pipe(response);
    };
    for (const type of ["application/json", "application/json; charset=utf-16", "x/y+z"]) {
      const answer = await infer({ body: new Uint8Array(bytes), headers: { "content-type": type } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(digest(Buffer.from(await answer.arrayBuffer()))).toBe(digest(bytes));
      expect(digest(backend.asked.at(-1)?.body)).toBe(digest(bytes));
      expect(backend.lastValues("content-type")).toEqual([type]);
    }
  });

  it("keeps its length where it has one, and its chunks where not", async () => {
    await infer({ body: "12345" });
    expect(backend.lastValues("content-length")).toEqual(["5"]);
    expect(backend.lastValues("transfer-encoding")).toEqual([]);
    const stream = Readable.toWeb(Readable.from(["12", "345"])) as ReadableStream;
    await fetch(`${node.url}/infer`, { method: "POST", body: stream, duplex: "half" } as RequestInit);
    expect(backend.asked.at(-1)?.body.toString()).toBe("12345");
    expect(backend.lastValues("transfer-encoding")).toEqual(["chunked"]);
  });

  it("without a content type gets none", async () => {
    const answer = await raw(
      node.port,
      head("POST /infer HTTP/1.1", "Host: n", "Content-Length: 2", "Connection: close").concat("{}"),
    );
    expect(statusOf(answer)).toBe(200);
    expect(backend.lastValues("content-type")).toEqual([]);
    expect(answer.toLowerCase()).not.toContain("content-type");
  });

  it.each([400, 404, 429, 500, 503])("of the engine's own refusal %i passes, with its headers", async (status) => {
    backend.answer = (_, response) => {
      response.writeHead(status, { "content-type": "application/problem+json", "retry-after": "7" }).end('{"own":1}');
    };
    const answer = await infer();
    expect([answer.status, await answer.text()]).toEqual([status, '{"own":1}']);
    expect([answer.headers.get("content-type"), answer.headers.get("retry-after")]).toEqual([
      "application/problem+json",
      "7",
    ]);
    expect(backend.asked).toHaveLength(1);
  });

  it("is asked with its query, and without a word about the node", async () => {
    const answer = await infer({}, "/infer?api-version=1&x=%2F..%2F");
    expect(backend.asked.at(-1)?.url).toBe("/v1/chat/completions?api-version=1&x=%2F..%2F");
    expect(backend.lastValues("host")).toEqual(["localhost"]);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("x-envoy"))).toEqual([]);
  });
});

describe("a stream", () => {
  const TOKENS = 12;
  it("arrives token by token: the engine sends the next one when the client has seen the last", async () => {
    const engine = new TokenEngine(TOKENS);
    backend.answer = engine.listener;
    const answer = await infer({ body: JSON.stringify({ user: "reader" }), headers: JSON_TYPE });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    let text = "";
    let acknowledged = 1;
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      // No token but those that were asked for is anywhere on the way.
      const seen = [...text.matchAll(/"content":"(\d+) "/g)].length;
      expect(seen).toBeLessThanOrEqual(acknowledged);
      if (seen === acknowledged && seen < TOKENS) {
        acknowledged += 1;
        engine.stream("reader").next();
      }
    }
    expect(acknowledged).toBe(TOKENS);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("ends at the engine when its client leaves", async () => {
    const engine = new TokenEngine(TOKENS);
    backend.answer = engine.listener;
    const leaving = new AbortController();
    await infer({ body: JSON.stringify({ user: "leaver" }), headers: JSON_TYPE, signal: leaving.signal });
    leaving.abort();
    await engine.stream("leaver").cancelled;
  });

  it("breaks for the client where the engine dies", async () => {
    const engine = new TokenEngine(TOKENS);
    backend.answer = engine.listener;
    const answer = await infer({ body: JSON.stringify({ user: "dying" }), headers: JSON_TYPE });
    engine.stream("dying").die();
    await expect(answer.text()).rejects.toThrow();
  });

  it("of a request is not collected: the engine has a part before the client sends the next", async () => {
    const parts: string[] = [];
    let arrived: (part: string) => void = () => undefined;
    backend.answer = (incoming, response) => {
      incoming.on("data", (chunk: Buffer) => arrived(chunk.toString("utf8")));
      incoming.on("end", () => response.end("{}"));
    };
    const sent = request(`${node.url}/infer`, { method: "POST", agent: false });
    const answered = new Promise<number | undefined>((resolve) =>
      sent.on("response", (response) => resolve(response.resume().statusCode)),
    );
    for (const part of ["one", "two", "three"]) {
      const there = new Promise<string>((resolve) => {
        arrived = resolve;
      });
      sent.write(part);
      parts.push(await there);
    }
    sent.end();
    expect(parts).toEqual(["one", "two", "three"]);
    expect(await answered).toBe(200);
  });
});

describe("who calls", () => {
  it.each(CALLERS)("is one value to the engine where it is %s", async (_, headers, tenant, correlation) => {
    for (const path of ["/infer", "/v1/chat/completions"]) {
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      const answer = await raw(
        node.port,
        head(
          `POST ${path} HTTP/1.1`,
          "Host: n",
          "Authorization: Bearer key",
          ...lines,
          "Content-Length: 2",
          "Connection: close",
        ).concat("{}"),
      );
      expect(statusOf(answer)).toBe(200);
      expect(backend.lastValues("x-tenant-id")).toEqual([tenant]);
      expect(backend.lastValues("x-correlation-id")).toEqual([correlation]);
    }
  });

  it.each(["X_Tenant_Id", "X-Tenant_Id", "X_Octopus_Tenant_Id"])(
    "is nobody under %s: some servers read it as the other",
    async (name) => {
      const answer = await raw(
        node.port,
        head("POST /infer HTTP/1.1", "Host: n", `${name}: root`, "Content-Length: 0"),
      );
      expect(statusOf(answer)).toBe(400);
      expect(backend.asked).toEqual([]);
    },
  );

  it("keeps keys from the engine, and passes the rest on", async () => {
    await infer({
      headers: {
        authorization: "Bearer key",
        "x-api-key": "key",
        cookie: "session=1",
        "proxy-authorization": "Basic a",
        "x-consumer-id": "team-a",
        "x-request-id": "gateway's",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "x-own": "kept",
      },
    });
    for (const name of ["authorization", "x-api-key", "cookie", "proxy-authorization"]) {
      expect([name, backend.lastValues(name)]).toEqual([name, []]);
    }
    expect(backend.lastValues("x-request-id")).toEqual(["gateway's"]);
    expect(backend.lastValues("traceparent")).toEqual(["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
    expect([backend.lastValues("x-consumer-id"), backend.lastValues("x-own")]).toEqual([["team-a"], ["kept"]]);
  });
});

describe("the access log", () => {
  it("has both ids, the consumer, the trace, times and bytes, and no key, query or body", async () => {
    await fetch(`${node.url}/infer?secret=query`, {
      method: "POST",
      body: "secret body",
      headers: {
        "x-octopus-tenant-id": "logged-tenant",
        "x-octopus-correlation-id": "logged-correlation",
        "x-tenant-id": "forged",
        "x-consumer-id": "team-a",
        "x-request-id": "request-1",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        authorization: "Bearer secret-key",
      },
    });
    const lines = await waitFor("the line", async () => {
      const found = node.log().filter(({ request_id }) => request_id === "request-1");
      return found.length > 0 ? found : undefined;
    });
    expect(lines).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        request_id: "request-1",
        trace_id: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        consumer: "team-a",
        tenant_id: "logged-tenant",
        correlation_id: "logged-correlation",
        group: "inference-cluster",
        model: "llama",
        method: "POST",
        path: "/infer",
        status: 200,
        status_details: "via_upstream",
        response_flags: "-",
        latency_ms: expect.any(Number),
        time_to_first_byte_ms: expect.any(Number),
        bytes_received: 11,
        bytes_sent: 2,
        client_address: "127.0.0.1",
        route: "infer",
      },
    ]);
    expect(node.process.output()).not.toMatch(/secret|forged/);
  });

  it("says what is wrong where nobody answers, as the client is told", async () => {
    const back = await backend.leave();
    const answer = await infer({ headers: { "x-request-id": "nobody" } }, "/v1/chat/completions");
    expect(answer.status).toBe(503);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({
      error: {
        message: "The engine of this node does not answer.",
        type: "server_error",
        param: null,
        code: "engine_unavailable",
      },
    });
    await back();
    const line = await waitFor("the line", async () => node.log().find((each) => each.request_id === "nobody"));
    expect(line).toMatchObject({ status: 503, path: "/v1/chat/completions", response_flags: "UF", route: "engine" });
  });

  it("has health only where it is not ok", async () => {
    await fetch(`${node.url}/health`);
    backend.answer = (_, response) => void response.writeHead(500).end();
    await fetch(`${node.url}/health?x=secret`);
    await infer({}, "/after-health");
    await logged("/after-health", 1);
    expect(node.log().filter(({ path }) => path === "/health")).toMatchObject([{ status: 503, route: "health" }]);
  });

  it("stays JSON, and short, whatever a client sends", async () => {
    const values = ['"}\\n{"status":200,"x":"', "\x80\xff\xfe", "a".repeat(5000)];
    for (const [index, value] of values.entries()) {
      const lines = [
        "POST /infer HTTP/1.1",
        "Host: n",
        `X-Request-Id: hostile-${index}`,
        `X-Octopus-Tenant-Id: ${value}`,
      ];
      await raw(node.port, Buffer.from(head(...lines, "Content-Length: 0", "Connection: close"), "latin1"));
    }
    const hostile = await waitFor("all lines", async () => {
      const found = node.log().filter(({ request_id }) => String(request_id).startsWith("hostile-"));
      return found.length === values.length ? found : undefined;
    });
    expect(hostile[0]?.tenant_id).toBe(values[0]);
    expect(String(hostile[2]?.tenant_id)).toBe("a".repeat(256));
    expect(hostile.map(({ status, x }) => [status, x])).toEqual(values.map(() => [200, undefined]));
  });
});

function digest(bytes: Buffer | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "absent")
    .digest("hex");
}
