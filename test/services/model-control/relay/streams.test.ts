/** Streams through the relay, and peers that are slow, silent, greedy or gone. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Relay } from "../../../../services/model-control/src/relay/start";
import { ANYONE, ask, raw, relayBefore } from "./relay-fixture";

const CHAT = "/v1/chat/completions";
const BODY = JSON.stringify({ model: "m" });
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) {
    await close();
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A relay before one worker that has the model m, and answers for it as `answer` does. */
async function relayOver(answer: Answer, limits: object = {}): Promise<Relay> {
  const server = createServer((request, response) => {
    const json = (body: object) => response.end(JSON.stringify(body));
    switch (request.url) {
      case "/api/tags":
        return json({ models: [{ name: "m:latest", size: 1 }] });
      case "/api/ps":
        return json({ models: [{ name: "m:latest", size: 1, size_vram: 0 }] });
      case "/api/version":
        return json({ version: "0.32.15" });
      default:
        request.resume();
        request.once("end", () => answer(request, response));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const relay = await relayBefore([`http://127.0.0.1:${port}`], { limits: { drainSeconds: 0.1, ...limits } });
  open.push(() => relay.close());
  return relay;
}

/** Something that happens once, and that a test waits for. */
function latch(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function post(relay: Relay, signal?: AbortSignal): Promise<Response> {
  return fetch(`${relay.url}${CHAT}`, { method: "POST", body: BODY, headers: ANYONE, signal });
}

describe("a stream", () => {
  it("passes each part before the next one is made", async () => {
    let send: (text: string) => void = () => undefined;
    const relay = await relayOver((_request, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.flushHeaders();
      send = (text) => (text === "" ? response.end() : response.write(text));
    });
    const response = await post(relay);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const reader = response.body?.getReader();
    for (let part = 0; part < 20; part++) {
      send(`{"part":${part}}\n`);
      const { value } = (await reader?.read()) ?? {};
      expect(new TextDecoder().decode(value)).toBe(`{"part":${part}}\n`);
    }
    send("");
    expect((await reader?.read())?.done).toBe(true);
  });

  it("ends at the worker when the client leaves", async () => {
    const gone = latch();
    const relay = await relayOver((_request, response) => {
      response.writeHead(200);
      response.write("x");
      response.once("close", () => gone.resolve());
    });
    const client = new AbortController();
    const response = await post(relay, client.signal);
    expect(response.status).toBe(200);
    client.abort();
    await gone.promise;
  });

  it("ends at the worker when the client leaves before the first byte", async () => {
    const [asked, gone] = [latch(), latch()];
    const relay = await relayOver((_request, response) => {
      asked.resolve();
      response.once("close", () => gone.resolve());
    });
    const client = new AbortController();
    const answer = post(relay, client.signal).catch(() => "left");
    await asked.promise;
    client.abort();
    expect(await answer).toBe("left");
    await gone.promise;
  });

  it("breaks for the client when the worker dies: half an answer is no answer", async () => {
    const relay = await relayOver((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n", () => response.destroy());
    });
    const response = await post(relay);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it("is read from the worker no faster than the client reads", async () => {
    const part = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const relay = await relayOver((_request, response) => {
      const more = () => {
        while (sent < 200 && response.write(part)) {
          sent += 1;
        }
      };
      response.writeHead(200);
      response.on("drain", () => {
        sent += 1;
        more();
      });
      more();
    });
    const { port } = new URL(relay.url);
    const socket = connect(Number(port), "127.0.0.1");
    open.push(async () => socket.destroy());
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nx-consumer-id: anyone\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    socket.pause();
    await expect.poll(() => sent).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What the sockets between them hold; never the 200 MiB.
    expect(sent).toBeLessThan(60);
  });
});

describe("a worker", () => {
  it("that never answers is given up", async () => {
    const relay = await relayOver(() => undefined, { idleSeconds: 0.1 });
    const { status, body } = await ask(relay, CHAT, { model: "m" });
    expect([status, body]).toEqual([504, { error: expect.objectContaining({ code: "worker_silent" }) }]);
  });

  it("that falls silent in mid-stream is cut, for the client too", async () => {
    const gone = latch();
    const relay = await relayOver(
      (_request, response) => {
        response.write("x");
        response.once("close", () => gone.resolve());
      },
      { idleSeconds: 0.1 },
    );
    await expect((await post(relay)).text()).rejects.toThrow();
    await gone.promise;
  });

  it("that never ends is cut", async () => {
    const relay = await relayOver(
      (_request, response) => {
        const timer = setInterval(() => response.write("x"), 10);
        response.once("close", () => clearInterval(timer));
      },
      { requestSeconds: 0.2 },
    );
    await expect((await post(relay)).text()).rejects.toThrow();
  });

  it("that hangs up before it answers is an error of a server", async () => {
    const relay = await relayOver((request) => request.socket.destroy());
    expect(await ask(relay, CHAT, { model: "m" })).toMatchObject({ status: 502 });
  });

  it("sends nobody elsewhere, and sets nothing with clients", async () => {
    const relay = await relayOver((_request, response) => {
      response.writeHead(302, {
        location: "http://elsewhere",
        "set-cookie": "a=b",
        "content-type": "text/html",
        "x-anything": "y",
      });
      response.end("{}");
    });
    const { status, headers } = await ask(relay, CHAT, { model: "m" });
    expect(status).toBe(502);
    expect(["location", "set-cookie", "x-anything"].map((name) => headers.get(name))).toEqual([null, null, null]);
    expect(headers.get("content-type")).toBe("application/octet-stream");
  });

  it("is told what a trace needs, and nothing else that a client or the gateway wrote", async () => {
    let told: IncomingMessage["headers"] = {};
    const relay = await relayOver((request, response) => {
      told = request.headers;
      response.end("{}");
    });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const headers = {
      ...ANYONE,
      authorization: "Bearer k",
      cookie: "c",
      "x-tenant-id": "t",
      "accept-encoding": "gzip",
    };
    await ask(relay, CHAT, { model: "m" }, { ...headers, traceparent, "x-request-id": "bad id" });
    expect(Object.keys(told).sort()).toEqual([
      "accept",
      "connection",
      "content-length",
      "content-type",
      "host",
      "traceparent",
    ]);
    expect(told.traceparent).toBe(traceparent);
  });
});

describe("a client", () => {
  it("with too many headers is refused", async () => {
    const relay = await relayOver((_request, response) => response.end("{}"));
    const header = `x-a: ${"a".repeat(70_000)}`;
    expect(await raw(relay, `POST ${CHAT} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });

  it("that smuggles a second request in the first is refused", async () => {
    const relay = await relayOver((_request, response) => response.end("{}"));
    const both = "Content-Length: 5\r\nTransfer-Encoding: chunked";
    const text = `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nx-consumer-id: anyone\r\n${both}\r\n\r\n0\r\n\r\nPOST /api/pull HTTP/1.1\r\n\r\n`;
    expect(await raw(relay, text)).toMatch(/^HTTP\/1.1 400 /);
  });

  it("that sends slowly is cut", async () => {
    const relay = await relayOver((_request, response) => response.end("{}"), { receiveSeconds: 0.1 });
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nx-consumer-id: anyone\r\nContent-Length: 99\r\n\r\n{`;
    expect(await raw(relay, head)).toMatch(/^HTTP\/1.1 408 /);
  });

  it("that does not read is cut", async () => {
    const gone = latch();
    const relay = await relayOver(
      (_request, response) => {
        const part = Buffer.alloc(1024 * 1024);
        const more = () => {
          while (!response.destroyed && response.write(part)) {}
        };
        response.on("drain", more);
        response.once("close", () => gone.resolve());
        more();
      },
      { idleSeconds: 0.2 },
    );
    const { port } = new URL(relay.url);
    const socket = connect(Number(port), "127.0.0.1");
    open.push(async () => socket.destroy());
    socket.on("error", () => undefined);
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nx-consumer-id: anyone\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    socket.pause();
    await gone.promise;
  });

  it("with a body that is too large is refused, told beforehand or not", async () => {
    const relay = await relayOver((_request, response) => response.end("{}"), { bodyBytes: 1024 });
    const large = JSON.stringify({ model: "m", prompt: "x".repeat(2000) });
    expect((await ask(relay, CHAT, large)).status).toBe(413);
    const { port } = new URL(relay.url);
    const request = requestHttp({ port, method: "POST", path: CHAT, headers: ANYONE });
    request.on("error", () => undefined);
    request.write(large.slice(0, 1500));
    const [response] = (await once(request, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([413, "close"]);
    request.destroy();
  });

  it("leaves others room for theirs while one tenant sends bodies that never end", async () => {
    const relay = await relayOver((_request, response) => response.end("{}"), { heldBytes: 64 * 1024 });
    const { port } = new URL(relay.url);
    const begun = JSON.stringify({ model: "m", prompt: "x".repeat(4000) });
    const narrow = { "x-consumer-id": "narrow", "content-length": String(begun.length + 1) };
    const requests = Array.from({ length: 16 }, () =>
      requestHttp({ port, method: "POST", path: CHAT, headers: narrow }),
    );
    const refused: number[] = [];
    for (const request of requests) {
      request.on("error", () => undefined).on("response", ({ statusCode = 0 }) => refused.push(statusCode));
      request.write(begun);
    }
    await expect.poll(() => refused.length).toBe(8);
    expect(new Set(refused)).toEqual(new Set([503]));
    expect((await ask(relay, CHAT, { model: "m", prompt: "x".repeat(4000) })).status).toBe(200);
    for (const request of requests) {
      request.destroy();
    }
  });

  it("finds it busy while too many are at work, or hold too much together", async () => {
    const waiting: ServerResponse[] = [];
    const relay = await relayOver((_request, response) => waiting.push(response), { parallelRequests: 2 });
    const first = [post(relay), post(relay)];
    await expect.poll(() => waiting.length).toBe(2);
    expect(await ask(relay, CHAT, { model: "m" })).toMatchObject({ status: 503, body: { error: { code: "busy" } } });
    for (const response of waiting) {
      response.end("{}");
    }
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);

    const small = await relayOver((_request, response) => response.end("{}"), { heldBytes: 2048 });
    const large = { model: "m", prompt: "x".repeat(2000) };
    expect(await ask(small, CHAT, large)).toMatchObject({ status: 503, body: { error: { code: "busy" } } });
    // Nothing is held of it any more.
    for (let count = 0; count < 3; count++) {
      expect((await ask(small, CHAT, { model: "m", prompt: "x".repeat(900) })).status).toBe(200);
    }
  });
});

describe("the relay's end", () => {
  it("waits for answers that run, takes no new ones, and cuts what takes too long", async () => {
    const running: ServerResponse[] = [];
    const relay = await relayOver(
      (_request, response) => {
        response.write("x");
        running.push(response);
      },
      { drainSeconds: 0.3 },
    );
    const [ends, hangs] = [await post(relay), await post(relay)];
    // Opened and not used yet, as clients do beforehand.
    const spare = connect(Number(new URL(relay.url).port), "127.0.0.1");
    open.push(async () => spare.destroy());
    await once(spare, "connect");
    const closed = relay.close();
    await once(spare, "close");
    expect((await fetch(`${relay.adminUrl}/readyz`)).status).toBe(503);
    await expect(post(relay)).rejects.toThrow();
    running[0]?.end("y");
    expect(await ends.text()).toBe("xy");
    await expect(hangs.text()).rejects.toThrow();
    await closed;
  });
});
