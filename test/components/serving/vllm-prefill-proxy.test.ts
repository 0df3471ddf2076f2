/** The proxy between real HTTP servers, which answer as vLLM's prefill and decode pods do, or do their worst. */
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { prefillProxy } from "../../../components/serving/scripts/vllm-prefill-proxy.ts";
import { collectGarbage } from "../../harness/collect-garbage";
import { serve } from "../storage/fakes";

type Body = Record<string, unknown>;
type Handler = (body: Body, response: ServerResponse, request: IncomingMessage) => void;

interface Pod {
  readonly url: string;
  readonly asked: {
    readonly path: string;
    readonly body: Body;
    readonly id: string | undefined;
    readonly consumer: unknown;
  }[];
  /** Bodies as they came. */
  readonly texts: string[];
  handle: Handler;
  close(): Promise<void>;
}

async function pod(handle: Handler): Promise<Pod> {
  const asked: Pod["asked"] = [];
  const texts: string[] = [];
  const made: { handle: Handler } = { handle };
  const server = await serve((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      texts.push(text);
      const body = JSON.parse(text || "{}") as Body;
      asked.push({
        path: `${incoming.method} ${incoming.url}`,
        body,
        id: incoming.headers["x-request-id"]?.toString(),
        consumer: incoming.headers["x-consumer-id"],
      });
      made.handle(body, response, incoming);
    });
  });
  return Object.assign(made, { url: server.url, asked, texts, close: () => server.close() });
}

const json = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const LIES = { do_remote_prefill: true, remote_engine_id: "e", remote_block_ids: [1, 2], remote_host: "10.0.0.7" };

let prefill: Pod;
let decode: Pod;
let proxy: ReturnType<typeof prefillProxy>;
let url: string;

beforeEach(async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  prefill = await pod((_, response) => json(response, { choices: [], kv_transfer_params: LIES }));
  decode = await pod((_, response) => json(response, { choices: [{ text: "hello" }] }));
  proxy = prefillProxy({
    port: 0,
    prefill: prefill.url,
    decode: decode.url,
    maxBodyBytes: 10_000,
    maxHeldBytes: 32_000,
    arrival: { graceMs: 300, bytesPerSecond: 10_000 },
    contextTokens: 1_000,
    prefillTimeoutMs: 200,
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterEach(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await Promise.all([prefill.close(), decode.close()]);
  vi.restoreAllMocks();
});

const complete = (body: unknown, path = "/v1/chat/completions", consumer = "web") =>
  fetch(`${url}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "x-request-id": "r-1", "x-consumer-id": consumer },
  });

/** A request whose body comes in pieces, each after so many milliseconds, and never ends. */
async function slowly(
  piece: string,
  everyMs: number,
): Promise<{ status: number | undefined; sent: number; ms: number; connection: unknown }> {
  const begun = performance.now();
  const asking = request(`${url}/v1/chat/completions`, { method: "POST", headers: { "x-consumer-id": "slow" } });
  let sent = 0;
  const timer = setInterval(() => {
    asking.write(piece);
    sent += piece.length;
  }, everyMs);
  try {
    return await new Promise((resolve, reject) => {
      asking.on("error", reject).on("response", (answer) => {
        answer.resume();
        resolve({
          status: answer.statusCode,
          sent,
          ms: performance.now() - begun,
          connection: answer.headers.connection,
        });
      });
    });
  } finally {
    clearInterval(timer);
    asking.destroy();
  }
}

/** Status of an answer, and the type of its error. */
const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: Body }).error.type];

describe("the proxy before decode pods", () => {
  it("has the prompt read for one token, and the answer written with the cache of it", async () => {
    const asked = { model: "m", messages: [], max_tokens: 50, max_completion_tokens: 60, min_tokens: 5, stream: true };
    const response = await complete({ ...asked, stream_options: { include_usage: true } });
    expect(await response.json()).toEqual({ choices: [{ text: "hello" }] });
    expect(prefill.asked).toEqual([
      {
        path: "POST /v1/chat/completions",
        id: "r-1",
        consumer: "web",
        body: {
          model: "m",
          messages: [],
          stream: false,
          max_tokens: 1,
          max_completion_tokens: 1,
          kv_transfer_params: expect.objectContaining({ do_remote_decode: true, do_remote_prefill: false }),
        },
      },
    ]);
    expect(decode.asked).toEqual([
      {
        path: "POST /v1/chat/completions",
        id: "r-1",
        consumer: "web",
        body: { ...asked, stream_options: { include_usage: true }, kv_transfer_params: LIES },
      },
    ]);
  });

  it("waits no longer than it may for a prefill pod that hangs, whatever memory is collected meanwhile", async () => {
    prefill.handle = () => void setTimeout(collectGarbage, 50);
    const answer = await complete({ prompt: "hello" });
    expect(await answer.json()).toMatchObject({ choices: [{ text: "hello" }] });
    expect(decode.asked[0]?.body).not.toHaveProperty("kv_transfer_params");
  });

  it("streams: the first piece is there before the last is made", async () => {
    let finish = () => {};
    decode.handle = (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      finish = () => response.end("data: [DONE]\n\n");
    };
    const response = await complete({ stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("data: 1\n\n");
    finish();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("data: [DONE]\n\n");
  });

  it.each<[string, Handler]>([
    ["fails", (_, response) => json(response, { error: "no room" }, 503)],
    ["breaks off", (_, response) => response.destroy()],
    ["never answers", () => undefined],
    ["answers without a cache", (_, response) => json(response, { choices: [] })],
    ["answers no JSON", (_, response) => response.end("<html>")],
    ["names a cache that is no mapping", (_, response) => json(response, { kv_transfer_params: [1] })],
    ["answers without end", (_, response) => response.end(`{"x":"${"y".repeat(5 * 2 ** 20)}"}`)],
  ])("lets the decode pod read the prompt itself where the prefill pod %s", async (_, handle) => {
    prefill.handle = handle;
    expect((await complete({ model: "m" })).status).toBe(200);
    expect(decode.asked.map(({ body }) => body)).toEqual([{ model: "m" }]);
  });

  it("never believes a client where a cache lies", async () => {
    prefill.handle = (_, response) => json(response, {}, 500);
    await complete({ model: "m", kv_transfer_params: { remote_host: "169.254.169.254", remote_port: 80 } });
    expect(decode.asked.map(({ body }) => body)).toEqual([{ model: "m" }]);
    expect(JSON.stringify(prefill.asked)).not.toContain("169.254");
  });

  it.each([{ n: 2 }, { n: 1 }, {}])("keeps the second way to name a cache from the engines: %j", async (counts) => {
    prefill.handle = (_, response) => json(response, {}, 500);
    await complete({ model: "m", ...counts, vllm_xargs: { kv_transfer_params: "x" } });
    await complete({ model: "m", ...counts, vllm_xargs: { kv_transfer_params: ["x"] }, extra_body: { a: 1 } });
    expect(decode.asked.map(({ body }) => body)).toEqual([
      { model: "m", ...counts },
      { model: "m", ...counts },
    ]);
    expect(JSON.stringify(prefill.asked)).not.toMatch(/xargs|"x"/);
  });

  it.each([
    ["/v1/chat/completions", { n: 2 }],
    ["/v1/completions", { prompt: ["The capital of France is", "Der Hund bellt laut und"], max_tokens: 5 }],
  ])("splits no request for several sequences: %s %j", async (path, body) => {
    await complete(body, path);
    expect([prefill.asked, decode.asked.map(({ body }) => body)]).toEqual([[], [body]]);
  });

  it("hands on what the decode pod says is wrong", async () => {
    decode.handle = (_, response) => json(response, { error: { message: "context" } }, 400);
    const response = await complete({ model: "m" });
    expect([response.status, await response.json()]).toEqual([400, { error: { message: "context" } }]);
  });

  it("answers 502 where the decode pod is gone", async () => {
    decode.handle = (_, response) => response.destroy();
    expect(await errorOf(await complete({ model: "m" }))).toEqual([502, "server_error"]);
  });

  it("tells the decode pod when the client leaves", async () => {
    const left = new Promise<void>((resolve) => {
      decode.handle = (_, response) => {
        response.once("close", () => resolve());
        response.writeHead(200).write("data: 1\n\n");
      };
    });
    const client: ClientRequest = request(`${url}/v1/completions`, { method: "POST" }, () => client.destroy());
    client.on("error", () => undefined).end("{}");
    await left;
  });

  it("hands numbers on as they were written, to both pods", async () => {
    expect((await complete('{"messages":[],"seed":9223372036854775807}')).status).toBe(200);
    for (const { texts } of [prefill, decode]) {
      expect(texts).toEqual([expect.stringContaining('"seed":9223372036854775807')]);
    }
  });

  it("has no prompt read for what the decode pod may refuse", async () => {
    const doubtful = [
      { max_tokens: 0 },
      { max_tokens: "many" },
      { max_completion_tokens: -1 },
      { min_tokens: 9, max_tokens: 8 },
      { min_tokens: null },
      { stream: [] },
      { stream_options: { include_usage: true } },
      { stream: true, stream_options: "yes" },
      { stream: true, prompt_logprobs: 1 },
      { max_tokens: 1_001 },
      { max_tokens: 1_001, max_completion_tokens: 1_001 },
      { min_tokens: 1_001 },
    ];
    for (const asked of doubtful) {
      expect((await complete({ messages: [], ...asked })).status).toBe(200);
    }
    expect(prefill.asked).toEqual([]);
    expect(decode.asked.map(({ body: { messages: _, ...body } }) => body)).toEqual(doubtful);
  });

  it("has no prompt read for a completion of more tokens than it has where it names no maximum", async () => {
    const asked = { prompt: "p", min_tokens: 17 };
    await complete(asked, "/v1/completions");
    expect([prefill.asked, decode.asked.map(({ body }) => body)]).toEqual([[], [asked]]);
  });

  it("asks to wait where requests under way hold as much as they may, until one is answered", async () => {
    const held = new Promise<ServerResponse>((resolve) => {
      decode.handle = (_, response) => resolve(response);
    });
    const first = complete({ n: 2, user: "y".repeat(8_000) });
    const response = await held;
    const second = await complete({ n: 2, user: "y".repeat(8_000) });
    expect([second.headers.get("retry-after"), ...(await errorOf(second))]).toEqual(["1", 503, "server_error"]);
    decode.handle = (_, other) => json(other, {});
    json(response, {});
    await (await first).text();
    await vi.waitFor(async () => expect((await complete({ n: 2, user: "y".repeat(8_000) })).status).toBe(200));
  });

  it("gives no client all of what requests may hold: the next one always has room", async () => {
    const held: ServerResponse[] = [];
    decode.handle = (_, response) => void held.push(response);
    const large = { n: 2, user: "y".repeat(6_000) };
    const greedy = Array.from({ length: 8 }, () =>
      complete(large, undefined, "greedy").then((answer) => answer.status),
    );
    await vi.waitFor(() => expect(held.length).toBe(2));
    // A third would be more than half of all.
    await vi.waitFor(async () => expect(await Promise.race([greedy[7], greedy[2], greedy[3]])).toBe(503));
    const other = complete(large, undefined, "other").then((answer) => answer.status);
    await vi.waitFor(() => expect(held.length).toBe(3));
    decode.handle = (_, response) => json(response, {});
    expect((await complete({ n: 2 }, undefined, "third")).status).toBe(200);
    for (const response of held) {
      json(response, {});
    }
    expect(await other).toBe(200);
    expect((await Promise.all(greedy)).toSorted()).toEqual([...Array(2).fill(200), ...Array(6).fill(503)]);
  });

  it("cuts bodies that come slower than they must, and gives back what they held", async () => {
    const drips = await Promise.all(Array.from({ length: 3 }, () => slowly("y", 50)));
    for (const { status, ms, connection } of drips) {
      expect([status, connection]).toEqual([408, "close"]);
      expect(ms).toBeGreaterThan(250);
      expect(ms).toBeLessThan(2_000);
    }
    // Its own memory is free again, and that of others was.
    expect((await complete({ n: 2, user: "y".repeat(8_000) }, undefined, "slow")).status).toBe(200);
    expect([prefill.asked, decode.asked.length]).toEqual([[], 1]);
  });

  it("waits for bodies that come as fast as they must, beyond the grace", async () => {
    const asking = request(`${url}/v1/chat/completions`, { method: "POST" });
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      asking.on("response", resolve).on("error", reject),
    );
    const body = JSON.stringify({ n: 2, user: "y".repeat(6_000) });
    for (let at = 0; at < body.length; at += 700) {
      asking.write(body.slice(at, at + 700));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    asking.end();
    const answer = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(decode.texts).toEqual([body]);
  });

  it("refuses what is no UTF-8", async () => {
    const body = Buffer.from('{"user":"\xff"}', "latin1");
    expect((await fetch(`${url}/v1/completions`, { method: "POST", body })).status).toBe(400);
  });

  it("refuses bodies of values in each other without end", async () => {
    const nested = `{"messages":[],"tools":${"[".repeat(4_000)}${"]".repeat(4_000)}}`;
    expect(await errorOf(await complete(nested))).toEqual([400, "invalid_request_error"]);
    expect([prefill.asked, decode.asked]).toEqual([[], []]);
  });

  it("refuses what is too large, no JSON, or no path of the API", async () => {
    expect(await errorOf(await complete({ x: "y".repeat(20_000) }))).toEqual([413, "invalid_request_error"]);
    expect((await complete("[1]")).status).toBe(400);
    expect((await complete("{", "/v1/completions")).status).toBe(400);
    expect((await complete({}, "/sleep")).status).toBe(404);
    expect((await complete({}, "/v1/completions/../../collective_rpc")).status).toBe(404);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect([prefill.asked, decode.asked]).toEqual([[], []]);
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
    expect(decode.asked.map(({ path }) => path)).toEqual(["GET /v1/models"]);
  });
});
