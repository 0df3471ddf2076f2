/** What one request may weigh and how long it may take to arrive, in the real gateway. */
import { connect as connectHttp2, constants } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import { notingEngine } from "./noting-engine";
import { standOf } from "./stand-of";

const MIB = 2 ** 20;
/** Of this gateway; the time that a body may take follows from it. */
const MOST_MIB = 4;
const RECEIVE_SECONDS = 32;
const HEADER_SECONDS = 10;
const PATHS = ["/v1/chat/completions", "/legal/v1/chat/completions"];

const engine = notingEngine();
const stand = sharedBySuite(async () => {
  const limits = { maxRequestBytes: MOST_MIB * MIB, parallelRequests: 64, proxyMemoryGiB: 2 };
  const started = await standOf({ endpoints: [endpoint("legal")], limits });
  await started.serve("legal", engine.listener);
  return started;
});

const open: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) {
    each.destroy();
  }
});

function chatOf(bytes: number): string {
  const empty = JSON.stringify({ model: "legal", messages: [{ role: "user", content: "" }] });
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}

function target() {
  const [proxy] = stand().proxies;
  if (proxy === undefined) {
    throw new Error("the stand has no proxy");
  }
  return connectionOptions(proxy, stand());
}

/** A connection, and what came back on it first; nothing where it was closed without a word. */
async function connection(): Promise<{ socket: TLSSocket; answer: Promise<string> }> {
  const socket = connect(target());
  open.push(socket);
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  const answer = new Promise<string>((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1")));
    // The gateway closes while a client may still be writing.
    socket.once("close", () => resolve("")).on("error", () => resolve(""));
  });
  return { socket, answer };
}

/** Lines of a request's head, without the empty one that ends it. */
async function head(path: string, lines: readonly string[] = []): Promise<string> {
  const own = [
    `POST ${path} HTTP/1.1`,
    `Host: ${stand().hostname}`,
    `Authorization: Bearer ${await stand().key("default")}`,
  ];
  return `${[...own, ...lines].join("\r\n")}\r\n`;
}

/** Status line of the answer to these bytes. */
async function statusOf(bytes: string): Promise<string> {
  const { socket, answer } = await connection();
  socket.write(bytes);
  return (await answer).split("\r\n")[0] ?? "";
}

describe("a body", () => {
  it.each(PATHS)("of 1 MiB passes, and of as much as the environment says: %s", async (path) => {
    for (const bytes of [MIB, MOST_MIB * MIB]) {
      expect((await stand().request({ path, body: chatOf(bytes), consumer: "default" })).status).toBe(200);
      expect(engine.seen.at(-1)?.body).toHaveLength(bytes);
    }
  });

  it.each(PATHS)("of more is refused before it is read whole, and no engine hears of it: %s", async (path) => {
    engine.seen.splice(0);
    for (const bytes of [(MOST_MIB + 1) * MIB, 33 * MIB]) {
      const { socket, answer } = await connection();
      socket.write(`${await head(path, [`Content-Length: ${bytes}`, "Connection: close"])}\r\n${chatOf(bytes)}`);
      expect(await answer, `${bytes} bytes`).toMatch(/^HTTP\/1\.1 413 /);
    }
    expect(engine.seen).toEqual([]);
  });

  it("is refused over HTTP/2 with a whole answer, and an end to the sending that is no error", async () => {
    const { host, port, servername, ca } = target();
    const session = connectHttp2(`https://${servername}`, {
      createConnection: () => connect({ host, port, servername, ca, ALPNProtocols: ["h2"] }),
    });
    open.push(session);
    const stream = session.request({
      ":method": "POST",
      ":path": PATHS[0],
      authorization: `Bearer ${await stand().key("default")}`,
    });
    const answer = new Promise<number | undefined>((resolve, reject) => {
      stream.once("response", (headers) => resolve(headers[":status"])).once("error", reject);
    });
    const text = new Promise<string>((resolve) => {
      let received = "";
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        received += chunk;
      });
      stream.once("close", () => resolve(received));
    });
    const piece = Buffer.alloc(64 * 1024, "x");
    const send = (): void => {
      if (!stream.closed && !stream.destroyed) {
        stream.write(piece, () => setImmediate(send));
      }
    };
    send();
    expect(await answer).toBe(413);
    expect(await text).not.toBe("");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  it("of who has no key is not waited for", async () => {
    const { socket, answer } = await connection();
    socket.write(`POST ${PATHS[0]} HTTP/1.1\r\nHost: ${stand().hostname}\r\nContent-Length: ${4 * MIB}\r\n\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("headers", () => {
  it("pass up to 60 KiB and a hundred, which is Envoy's limit, and are 431 beyond", async () => {
    const get = async (lines: string[]) =>
      statusOf(`${(await head("/v1/models", [...lines, "Connection: close"])).replace("POST", "GET")}\r\n`);
    expect(await get([`X-Long: ${"a".repeat(58 * 1024)}`])).toBe("HTTP/1.1 200 OK");
    expect(await get([`X-Long: ${"a".repeat(60 * 1024)}`])).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect(await get(Array.from({ length: 100 }, (_, i) => `X-${i}: a`))).toBe(
      "HTTP/1.1 431 Request Header Fields Too Large",
    );
  });
});

describe("a client that sends slowly", () => {
  /** Sends a byte a second for as long as the connection stands. */
  function trickle(socket: TLSSocket): void {
    const timer = setInterval(() => socket.write("x"), 1000);
    socket.once("close", () => clearInterval(timer));
  }

  it("is cut: its headers first, then its body, and one that is done in time is not", { timeout: 90_000 }, async () => {
    const order: string[] = [];
    const slow = async (name: string, start: string) => {
      const { socket, answer } = await connection();
      socket.write(start);
      trickle(socket);
      const said = await answer;
      order.push(name);
      return said;
    };
    const path = PATHS[0] ?? "";
    const began = Date.now();
    const headers = slow("headers", `${await head(path)}X-Slow: `);
    const body = slow("body", `${await head(path, ["Content-Length: 1000"])}\r\n`);
    const short = stand().request({ path, body: chatOf(MIB), consumer: "default" });
    expect((await short).status).toBe(200);
    expect(await headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(await body).toMatch(/^HTTP\/1\.1 408 /);
    expect(order).toEqual(["headers", "body"]);
    expect(Date.now() - began).toBeGreaterThan((RECEIVE_SECONDS - HEADER_SECONDS) * 1000);
  });
});

describe("a request that two servers could read differently", () => {
  const smuggled = "GET /sleep HTTP/1.1\r\n\r\n";
  it.each([
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`, "400"],
    ["two lengths", ["Content-Length: 0", "Content-Length: 26"], smuggled, "400"],
    ["a length with a sign", ["Content-Length: +5"], "abcde", "400"],
    ["chunks that are encoded again", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n", "501"],
    ["a zero byte in a header", ["X-A: a\0b"], "", "400"],
    ["an underscore where a hyphen is", ["x_path_model: legal"], "", "400"],
    ["a second host", ["Host: other.example.com"], "", "404"],
  ])("is refused: %s", async (_, lines, body, status) => {
    engine.seen.splice(0);
    expect(await statusOf(`${await head(PATHS[0] ?? "", lines)}\r\n${body}`)).toMatch(`HTTP/1.1 ${status} `);
    expect(engine.seen).toEqual([]);
  });

  it("reaches the engine in one reading: a folded header on one line, an absolute URI as its path", async () => {
    engine.seen.splice(0);
    const body = chatOf(200);
    const ending = [`Content-Length: ${body.length}`, "Content-Type: application/json", "Connection: close"];
    const folded = await head(PATHS[0] ?? "", ["X-Folded: a", " b", ...ending]);
    expect(await statusOf(`${folded}\r\n${body}`)).toBe("HTTP/1.1 200 OK");
    const absolute = await head(`https://${stand().hostname}${PATHS[0]}`, ending);
    expect(await statusOf(`${absolute}\r\n${body}`)).toBe("HTTP/1.1 200 OK");
    const other = await head(`https://other.example.com${PATHS[0]}`, ending);
    expect(await statusOf(`${other}\r\n${body}`)).toBe("HTTP/1.1 404 Not Found");
    expect(engine.seen.map(({ path, headers }) => [path, headers["x-folded"]])).toEqual([
      ["/v1/chat/completions", "a b"],
      ["/v1/chat/completions", undefined],
    ]);
  });
});

it("logs the path that was asked for, whatever a client says it was", async () => {
  const headers = { "x-envoy-original-path": "/somewhere/else" };
  const logged = () => stand().proxies.flatMap((proxy) => proxy.accessLog().map(({ path }) => path));
  for (const path of ["/v1/models", "/legal/v1/models"]) {
    await stand().request({ path: `${path}?a=b`, consumer: "default", headers });
    await waitFor("the access log", async () => logged().at(-1) === path);
  }
  expect(logged()).not.toContain("/somewhere/else");
});
