/** What peers of a node can do to it who mean no good: nothing is reached that is not offered, and little is held. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { NODE_CONNECTIONS } from "../../../components/node/overload";
import { NODE_PROXY } from "../../../planner/sidecars";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { envoyOf, type HeldBytes, heldBytes, listeningPorts } from "./envoy-process";
import { head, raw, statusOf } from "./raw-request";
import { type RealNode, startNode } from "./real-node";
import { TestEngine } from "./test-engine";

const MODEL = { engine: "vllm", servedName: "llama", task: "chat", node: { group: "inference-cluster" } } as const;
const MIB = 2 ** 20;

let backend: TestEngine;
let node: RealNode;

beforeAll(async () => {
  backend = await TestEngine.start();
  node = await startNode({ model: MODEL, enginePort: backend.port });
});
afterAll(async () => {
  await node?.stop();
  await backend?.stop();
});
afterEach(() => {
  backend.asked.length = 0;
  backend.answer = (_, response) => void response.end("{}");
});

const ADMIN_PATHS = [
  "/",
  "/quitquitquit",
  "/config_dump",
  "/config_dump?resource=static_clusters",
  "/clusters",
  "/drain_listeners",
  "/healthcheck/fail",
  "/logging?level=trace",
  "/memory",
  "/runtime_modify?a=b",
  "/server_info",
  "/stats",
  "/stats/prometheus/../../quitquitquit",
  "/stats/prometheus/../quitquitquit",
  "/stats/prometheus%2f..%2f..%2fquitquitquit",
  "/stats/prometheus;/quitquitquit",
  "//quitquitquit",
  "/ready/../quitquitquit",
  "http://admin/quitquitquit",
];

describe("Envoy's admin interface", () => {
  it.each(["GET", "POST"])("is not behind any port by %s, but for series and life", async (method) => {
    for (const port of [node.port, node.metricsPort]) {
      for (const path of ADMIN_PATHS) {
        const answer = await raw(
          port,
          head(`${method} ${path} HTTP/1.1`, "Host: n", "Content-Length: 0", "Connection: close"),
        );
        expect([path, [400, 404].includes(statusOf(answer) ?? 0)]).toEqual([path, true]);
      }
    }
  });

  it("gives series and life to GET alone", async () => {
    const at = (path: string) => `http://127.0.0.1:${node.metricsPort}${path}`;
    expect(await (await fetch(at("/stats/prometheus"))).text()).toContain("\nenvoy_cluster_upstream_rq_total{");
    expect((await fetch(at("/stats/prometheus?usedonly"))).status).toBe(200);
    expect(await (await fetch(at("/ready"))).text()).toBe("LIVE\n");
    for (const path of ["/stats/prometheus", "/ready"]) {
      expect((await fetch(at(path), { method: "POST" })).status).toBe(404);
    }
    // What clients of the node connect to has neither.
    for (const path of ["/stats/prometheus", "/ready"]) {
      expect((await fetch(node.url + path)).status).toBe(404);
    }
  });

  it("refuses the rest to what runs in the pod itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    // Node 20 does not find sockets without a file under the names that others give them.
    const path = join(folder, "admin.sock");
    const own = await startNode({ model: MODEL, enginePort: backend.port }, path);
    for (const [asked, status] of [
      ["/stats/prometheus", 200],
      ["/quitquitquit", 403],
      ["/config_dump", 403],
      ["/stats/prometheus/../../quitquitquit", 403],
    ] as const) {
      const lines = [`POST ${asked} HTTP/1.1`, "Host: n", "Content-Length: 0", "Connection: close"];
      expect([asked, statusOf(await viaSocket(path, head(...lines)))]).toEqual([asked, status]);
    }
    expect((await fetch(`${own.url}/health`)).status).toBe(200);
    await own.stop();
    rmSync(folder, { recursive: true });
  });

  it("listens on no port of its own", () => {
    expect(listeningPorts(envoyOf(node)).sort()).toEqual([node.port, node.metricsPort].sort());
  });
});

describe("a request's head", () => {
  const ask = (...lines: string[]) => raw(node.port, head(...lines));

  it.each([
    ["a line of 70 KiB", ["POST /infer HTTP/1.1", "Host: n", `X-Long: ${"a".repeat(70 * 1024)}`], 431],
    ["101 headers", ["POST /infer HTTP/1.1", "Host: n", ...Array.from({ length: 101 }, (_, i) => `X-${i}: a`)], 431],
    ["HTTP/1.0", ["GET /health HTTP/1.0", "Host: n"], 426],
    ["no Host", ["GET /health HTTP/1.1"], 400],
    ["length and chunks", ["POST /infer HTTP/1.1", "Host: n", "Content-Length: 3", "Transfer-Encoding: chunked"], 400],
    ["two lengths", ["POST /infer HTTP/1.1", "Host: n", "Content-Length: 3", "Content-Length: 4"], 400],
    ["an encoding that is none", ["POST /infer HTTP/1.1", "Host: n", "Transfer-Encoding: xchunked"], 501],
    ["a blank before the colon", ["POST /infer HTTP/1.1", "Host : n"], 400],
    ["a proxy's method", ["CONNECT engine:80 HTTP/1.1", "Host: engine:80"], 404],
    ["slashes in escapes", ["POST /v1%2fchat/completions HTTP/1.1", "Host: n", "Content-Length: 0"], 400],
    ["HTTP/2 without TLS", ["PRI * HTTP/2.0", "", "SM", ""], 400],
    ["a method of its own", ["BREW /infer HTTP/1.1", "Host: n", "Content-Length: 0"], 400],
  ])("with %s ends at the node", async (_, lines, status) => {
    const answer = await ask(...lines);
    expect(statusOf(answer)).toBe(status);
    expect(backend.asked).toEqual([]);
  });

  it.each(["/infer/../v1/models", "/x/../v1/load_lora_adapter", "/infer/..;/v1/models", "/infer//", "/./v1/models"])(
    "leads nowhere with the path %s",
    async (path) => {
      const answer = await ask(`POST ${path} HTTP/1.1`, "Host: n", "Content-Length: 0", "Connection: close");
      expect([400, 404]).toContain(statusOf(answer));
      expect(backend.asked).toEqual([]);
    },
  );

  it("leads by its path alone, whatever host it names, and the engine does not hear of it", async () => {
    for (const lines of [
      ["POST http://evil.example/infer HTTP/1.1", "Host: n"],
      ["POST /infer HTTP/1.1", "Host: admin"],
      ["POST http://evil.example:9081/infer HTTP/1.1", "Host: 169.254.169.254"],
    ]) {
      expect(statusOf(await ask(...lines, "Content-Length: 0", "Connection: close"))).toBe(200);
      expect(backend.lastValues("host")).toEqual(["localhost"]);
    }
    const outside = await ask(
      "POST http://evil.example/v1/models HTTP/1.1",
      "Host: n",
      "Content-Length: 0",
      "Connection: close",
    );
    expect(statusOf(outside)).toBe(404);
  });

  it("with a folded line has one header, not two", async () => {
    await ask(
      "POST /infer HTTP/1.1",
      "Host: n",
      "X-A: b",
      " X-Tenant-Id: root",
      "Content-Length: 0",
      "Connection: close",
    );
    expect(backend.lastValues("x-tenant-id")).toEqual([""]);
    expect(backend.lastValues("x-a")).toHaveLength(1);
  });

  it("cannot ask Envoy for retries, other times, or another past", async () => {
    backend.answer = (_, response) => void response.writeHead(503).end("{}");
    await ask(
      "POST /infer HTTP/1.1",
      "Host: n",
      "X-Envoy-Retry-On: 5xx",
      "X-Envoy-Max-Retries: 5",
      "X-Envoy-Upstream-Rq-Timeout-Ms: 1",
      "X-Envoy-Internal: true",
      "X-Envoy-Original-Path: /health",
      "X-Forwarded-For: 10.0.0.1",
      "Content-Length: 0",
      "Connection: close",
    );
    expect(backend.asked).toHaveLength(1);
    expect(backend.lastValues("x-envoy-internal")).toEqual([]);
    expect(backend.lastValues("x-envoy-upstream-rq-timeout-ms")).toEqual([]);
    expect(backend.lastValues("x-envoy-original-path")).toEqual(["/infer"]);
  });

  it("opens no other protocol", async () => {
    for (const protocol of ["websocket", "h2c"]) {
      const answer = await ask(
        "POST /infer HTTP/1.1",
        "Host: n",
        "Connection: Upgrade, HTTP2-Settings",
        `Upgrade: ${protocol}`,
        "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
        "Content-Length: 0",
      );
      expect([protocol, statusOf(answer)]).not.toEqual([protocol, 101]);
      expect(backend.lastValues("upgrade")).toEqual([]);
    }
  });

  it("that comes slowly is given up after ten seconds", { timeout: 30_000 }, async () => {
    const began = performance.now();
    const answer = await raw(node.port, "POST /infer HTTP/1.1\r\nHost: n\r\nX-Slow: ", 20_000);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(statusOf(answer)).toBe(408);
    expect(backend.asked).toEqual([]);
  });
});

describe("a request of /health", () => {
  it("reaches the engine without its body, its query and its keys", async () => {
    const lines = ["Host: n", "Authorization: Bearer k", "X-Api-Key: k", "Cookie: k", "Connection: close"];
    for (const method of ["GET", "HEAD"]) {
      backend.asked.length = 0;
      const start = head(`${method} /health?a=b HTTP/1.1`, ...lines, "Content-Length: 3");
      expect(statusOf(await raw(node.port, `${start}abc`))).toBe(200);
      expect(backend.asked.map(({ method: asked, url, body }) => [asked, url, body.length])).toEqual([
        ["GET", "/v1/models", 0],
      ]);
      for (const name of ["authorization", "x-api-key", "cookie"]) {
        expect([name, backend.lastValues(name)]).toEqual([name, []]);
      }
    }
  });

  it("whose body never ends takes no place at the engine from others", async () => {
    // As servers do that answer when they have read the whole request.
    backend.answer = (incoming, response) => void incoming.resume().once("end", () => response.end("{}"));
    const endless = head("GET /health HTTP/1.1", "Host: n", "Transfer-Encoding: chunked");
    const held = Array.from({ length: 100 }, () => connect(node.port, "127.0.0.1").on("error", () => undefined));
    for (const socket of held) {
      socket.write(endless);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    const answer = await fetch(`${node.url}/health`);
    expect([answer.status, await answer.text()]).toEqual([200, '{"status":"ok"}']);
    expect(backend.asked).toHaveLength(1);
    for (const socket of held) {
      socket.destroy();
    }
  });
});

describe("a flood", () => {
  const limit = NODE_PROXY.memoryGiB * 1024 * MIB;
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
    // What the engine has not read keeps its client's place, though that client is gone.
    backend.hangUp();
    await waitFor("the flood to drain", async () => ((await active()) < 8 ? true : undefined), 120);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  }, 150_000);

  it("of readers that do not read stays below the container's memory", { timeout: 180_000 }, async () => {
    const answer = Buffer.alloc(4 * MIB, "x");
    let answered = 0;
    backend.answer = (incoming, response) => {
      if (incoming.method === "GET") {
        response.end("{}");
      } else {
        answered += 1;
        response.end(answer);
      }
    };
    const opened = await open(NODE_CONNECTIONS, head("POST /infer HTTP/1.1", "Host: n", "Content-Length: 0"));
    await waitFor("all to be answered", async () => (answered >= opened - 8 ? true : undefined), 120);
    const held = await peak(() => heldBytes(envoyOf(node)));
    expect(held.resident + held.queued).toBeLessThan(limit);
  });

  it("of writers whose engine does not read stays below it too", { timeout: 180_000 }, async () => {
    let paused = 0;
    backend.answer = (incoming, response) => {
      if (incoming.method === "GET") {
        response.end("{}");
      } else {
        paused += 1;
        incoming.pause();
      }
    };
    const body = Buffer.alloc(4 * MIB, "x");
    const lines = ["POST /infer HTTP/1.1", "Host: n", `Content-Length: ${body.length}`];
    const opened = await open(NODE_CONNECTIONS, Buffer.concat([Buffer.from(head(...lines)), body]));
    await waitFor("all to be asked", async () => (paused >= opened - 8 ? true : undefined), 120);
    const held = await peak(() => heldBytes(envoyOf(node)));
    expect(held.resident + held.queued).toBeLessThan(limit);
  });

  it("of connections is refused past the limit, and series can still be read", { timeout: 120_000 }, async () => {
    const before = await open(NODE_CONNECTIONS + 200, "POST /infer HTTP/1.1\r\nHost: n\r\n", "reading");
    expect(before).toBeGreaterThan(NODE_CONNECTIONS - 50);
    expect(before).toBeLessThanOrEqual(NODE_CONNECTIONS);
    // By their number, or by the memory that a flood before still holds.
    const refused = async () => {
      const series = await (await fetch(`http://127.0.0.1:${node.metricsPort}/stats/prometheus`)).text();
      const counted = series.matchAll(
        /^envoy_listener_downstream_(?:global_cx_overflow|cx_overload_reject)\{[^}]*\} (\d+)$/gm,
      );
      return [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await waitFor("refused connections to be counted", async () => ((await refused()) >= 150 ? true : undefined), 30);
    expect((await fetch(`http://127.0.0.1:${node.metricsPort}/ready`)).status).toBe(200);
  });

  /** Connections of clients that Envoy has. */
  async function active(): Promise<number> {
    const series = await (await fetch(`http://127.0.0.1:${node.metricsPort}/stats/prometheus`)).text();
    return Number(
      /^envoy_http_downstream_cx_active\{envoy_http_conn_manager_prefix="node"\} (\d+)$/m.exec(series)?.[1],
    );
  }

  /** Opens connections that send these bytes. @returns how many of them are still open, as far as one that does not read knows. */
  async function open(count: number, bytes: string | Buffer, reads?: "reading"): Promise<number> {
    let closed = 0;
    for (let index = 0; index < count; index += 1) {
      const socket = connect(node.port, "127.0.0.1");
      if (reads) {
        socket.resume();
      } else {
        socket.pause();
      }
      socket.on("error", () => undefined);
      socket.on("close", () => {
        closed += 1;
      });
      sockets.push(socket);
      await new Promise<void>((resolve) => socket.once("connect", resolve).once("error", () => resolve()));
      socket.write(bytes);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return count - closed;
  }
});

/** Asks the admin interface at its socket, as a neighbour in the pod could. */
function viaSocket(path: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("end", () => resolve(text)).on("error", reject);
  });
}

/** Looks until it does not grow any more. */
async function peak(read: () => HeldBytes): Promise<HeldBytes> {
  const total = ({ resident, queued }: HeldBytes) => resident + queued;
  let last = read();
  for (let grew = true; grew; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const now = read();
    grew = total(now) > total(last);
    last = grew ? now : last;
  }
  return last;
}
