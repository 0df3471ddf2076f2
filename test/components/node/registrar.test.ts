import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Call, callRegistrar, retryAfter } from "../../../components/node/scripts/registrar.ts";
import {
  isWell,
  metricsServer,
  metricsText,
  nodeRecord,
  nodeUrl,
} from "../../../components/node/scripts/registration.ts";
import { serve } from "../storage/fakes";

let folder: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "registrar-"));
  writeFileSync(join(folder, "key"), "sk-secret\n");
});

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  rmSync(folder, { recursive: true });
});

async function http(listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const { url, close } = await serve(listener);
  closing.push(close);
  return url;
}

/** A server of bytes, for what no server of HTTP says. */
async function bytes(listener: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    listener(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) {
          socket.destroy();
        }
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function call(url: string, more: Partial<Call> = {}) {
  return callRegistrar({ method: "PUT", url, body: { node: "a" }, deadlineMs: 2000, ...more });
}

describe("callRegistrar", () => {
  it("sends method, path, record and key, on a connection of its own", async () => {
    const seen: unknown[] = [];
    const url = await http((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { authorization, connection } = request.headers;
        seen.push([request.method, request.url, authorization, connection, Buffer.concat(chunks).toString()]);
        response.writeHead(204).end();
      });
    });
    expect(await call(`${url}/groups/g/nodes/a`, { keyFile: join(folder, "key") })).toEqual({ ok: true });
    expect(await call(`${url}/x`, { method: "DELETE", body: undefined })).toEqual({ ok: true });
    expect(seen).toEqual([
      ["PUT", "/groups/g/nodes/a", "Bearer sk-secret", "close", '{"node":"a"}'],
      ["DELETE", "/x", undefined, "close", ""],
    ]);
  });

  it("reads the key for each call, and without one sends nothing", async () => {
    const seen: (string | undefined)[] = [];
    const url = await http((request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    const keyFile = join(folder, "key");
    await call(url, { keyFile });
    writeFileSync(keyFile, "sk-rotated");
    await call(url, { keyFile });
    expect(await call(url, { keyFile: join(folder, "none") })).toEqual({ ok: false, kind: "file", reason: "ENOENT" });
    expect(seen).toEqual(["Bearer sk-secret", "Bearer sk-rotated"]);
  });

  it.each([
    [200, undefined],
    [201, undefined],
    [302, "redirect"],
    [400, "refused"],
    [401, "unauthorized"],
    [403, "unauthorized"],
    [404, "refused"],
    [409, "refused"],
    [410, "gone"],
    [429, "rate-limited"],
    [500, "server-error"],
    [503, "server-error"],
    [799, "protocol"],
  ])("takes %i as %s", async (status, kind) => {
    const url = await http((_, response) => response.writeHead(status).end("whatever it says"));
    expect(await call(url)).toEqual(
      kind === undefined ? { ok: true } : { ok: false, kind, status, reason: `HTTP ${status}` },
    );
  });

  it("follows no redirect: nobody else sees the key", async () => {
    let elsewhere = 0;
    const other = await http((_, response) => {
      elsewhere += 1;
      response.end();
    });
    const url = await http((_, response) => response.writeHead(307, { location: other }).end());
    expect(await call(url, { keyFile: join(folder, "key") })).toMatchObject({ kind: "redirect" });
    expect(elsewhere).toBe(0);
  });

  it("takes the word of Retry-After along", async () => {
    const url = await http((_, response) => response.writeHead(503, { "retry-after": "120" }).end());
    expect(await call(url)).toMatchObject({ kind: "server-error", retryAfterMs: 120_000 });
  });

  it("does not wait for the end of an answer's body", async () => {
    const url = await http((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const started = performance.now();
    expect(await call(url)).toEqual({ ok: true });
    expect(performance.now() - started).toBeLessThan(1500);
  });

  it.each([
    ["says nothing", () => undefined],
    ["sends a header byte by byte", (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: ", "y")],
    ["sends interim answers without end", (socket: Socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")],
  ])("gives up in time on a registrar that %s", async (_, hostile) => {
    const url = await bytes(hostile);
    expect(await call(url, { deadlineMs: 300 })).toEqual({ ok: false, kind: "timeout", reason: "no answer in time" });
  });

  it("leaves nothing behind at the signal of whoever asked, which lives as long as the node", async () => {
    const { signal } = new AbortController();
    const silent = await bytes(() => undefined);
    const well = await http((_, response) => response.end());
    for (const [url, deadlineMs] of [
      [silent, 50],
      [well, 2000],
    ] as const) {
      await call(url, { deadlineMs, signal });
      await isWell(well, signal);
    }
    // Node's own sets have no prototype that `instanceof` knows.
    const sizes = Object.getOwnPropertySymbols(signal).map((symbol) =>
      Reflect.get(Object(Reflect.get(signal, symbol)), "size"),
    );
    expect(sizes.filter((size) => typeof size === "number" && size > 0)).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is given up early, also when it was before it began", async () => {
    const silent = await bytes(() => undefined);
    const began = performance.now();
    for (const signal of [AbortSignal.timeout(50), AbortSignal.abort()]) {
      expect(await call(silent, { signal })).toMatchObject({ ok: false, kind: "timeout" });
    }
    expect(performance.now() - began).toBeLessThan(1500);
  });

  it.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "protocol"],
    ["headers without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, "protocol"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "protocol"],
  ])("takes %s for no answer", async (_, text, kind) => {
    const url = await bytes((socket) => socket.write(text));
    expect(await call(url)).toMatchObject({ ok: false, kind });
  });

  it("says of a connection that fails its code alone", async () => {
    const url = await bytes((socket) => socket.destroy());
    expect(await call(url)).toEqual({ ok: false, kind: "connection", reason: "ECONNRESET" });
    expect(await call("http://127.0.0.1:1")).toEqual({ ok: false, kind: "connection", reason: "ECONNREFUSED" });
    expect(await call(url.replace("http", "https"))).toMatchObject({ ok: false });
  });

  it("names what its authorities' file lacks", async () => {
    const url = (await bytes((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"))).replace("http:", "https:");
    expect(await call(url)).toMatchObject({ ok: false, kind: "tls" });
    expect(await call(url, { authoritiesFile: join(folder, "none") })).toMatchObject({ kind: "file" });
  });
});

function drip(socket: Socket, first: string, then: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(then), 5);
  socket.on("close", () => clearInterval(timer));
}

describe("retryAfter", () => {
  it("is seconds or a date, in milliseconds from now", () => {
    const now = Date.parse("2026-11-23T10:00:00Z");
    expect(retryAfter("7", now)).toBe(7000);
    expect(retryAfter("Mon, 23 Nov 2026 10:00:30 GMT", now)).toBe(30_000);
    expect(retryAfter("Mon, 23 Nov 2026 09:00:00 GMT", now)).toBe(0);
    expect([undefined, "", "-5", "soon", "9".repeat(20)].map((value) => retryAfter(value, now))).toEqual(
      Array(5).fill(undefined),
    );
  });
});

describe("isWell", () => {
  const never = new AbortController().signal;

  it("is the node's own word: 200 and nothing else", async () => {
    const at = async (status: number) => isWell(await http((_, response) => response.writeHead(status).end()), never);
    expect([await at(200), await at(503), await at(404), await at(302)]).toEqual([true, false, false, false]);
    expect(await isWell("http://127.0.0.1:1/health", never)).toBe(false);
  });

  it("is given up with the node", async () => {
    const url = await bytes(() => undefined);
    expect(await isWell(url, AbortSignal.timeout(100))).toBe(false);
  });
});

describe("what a registrar is told", () => {
  const settings = {
    registrar: "https://registrar.example.com/api",
    group: "inference-cluster",
    model: "llama",
    engine: "vllm",
    renewSeconds: 30,
    port: 9080,
    health: "/health",
    infer: "/infer",
    metricsPort: 9082,
  };

  it("is where the node answers, and what", () => {
    expect(nodeRecord(settings, { name: "chat-0", address: "10.1.2.3" })).toEqual({
      group: "inference-cluster",
      node: "chat-0",
      address: "http://10.1.2.3:9080",
      health: "/health",
      infer: "/infer",
      model: "llama",
      engine: "vllm",
    });
    expect(nodeRecord(settings, { name: "chat-0", address: "fd00::5" }).address).toBe("http://[fd00::5]:9080");
    expect(nodeUrl(settings, { name: "chat-0", address: "" })).toBe(
      "https://registrar.example.com/api/groups/inference-cluster/nodes/chat-0",
    );
  });
});

describe("the metrics of a registration", () => {
  const standing = {
    registered: true,
    wanted: true,
    lastSuccess: 1_790_000_000,
    renewals: 4,
    failures: { timeout: 2, connection: 0 } as Parameters<typeof metricsText>[0]["failures"],
  };

  it("are the text that Prometheus reads", () => {
    const lines = metricsText(standing).split("\n");
    expect(lines.filter((line) => !line.startsWith("#"))).toEqual([
      "inference_node_registered 1",
      "inference_node_registration_wanted 1",
      "inference_node_registration_last_success_timestamp_seconds 1790000000",
      "inference_node_registration_renewals_total 4",
      'inference_node_registration_failures_total{kind="timeout"} 2',
      'inference_node_registration_failures_total{kind="connection"} 0',
      "",
    ]);
    expect(lines.filter((line) => line.startsWith("# TYPE"))).toHaveLength(5);
  });

  it("are answered at /metrics alone", async () => {
    const server = metricsServer(() => "text");
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = async (path: string, method = "GET") => (await fetch(`${url}${path}`, { method })).status;
    expect([await ask("/metrics"), await ask("/"), await ask("/leave", "POST"), await ask("/metrics", "POST")]).toEqual(
      [200, 404, 404, 404],
    );
    expect(server.maxConnections).toBe(16);
  });
});
