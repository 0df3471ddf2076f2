/**
 * What a node says of itself: three states, with exact bodies, codes and content type, of backends that stand for each engine, and of a real Ollama and a
 * real Triton. The paths are those of the engines' descriptors.
 */
import { request } from "node:http";
import { createServer, type Server } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { NodeConfigArgs } from "../../../components/node/envoy-config";
import { engineOf } from "../../../engines";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { type Ollama, startOllama } from "../model-control/registry";
import { sharedBySuite } from "../shared-by-suite";
import { RealTritonModel } from "../triton/real-model";
import { type RealNode, startNode } from "./real-node";
import { TestEngine } from "./test-engine";

const OK = { status: 200, type: "application/json", body: '{"status":"ok"}' };
const DEGRADED = { status: 503, type: "application/json", body: '{"status":"degraded"}' };
const UNHEALTHY = { status: 503, type: "application/json", body: '{"status":"unhealthy"}' };

const ENGINES = ["ollama", "vllm", "triton", "tgi"] as const;
const TASKS = { ollama: "chat", vllm: "chat", triton: "completion", tgi: "chat" } as const;

function modelOn(engine: (typeof ENGINES)[number]): NodeConfigArgs["model"] {
  return { engine, servedName: "llama", task: TASKS[engine], node: { group: "inference-cluster" } };
}

interface Said {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

async function health(node: RealNode): Promise<Said> {
  const response = await fetch(`${node.url}/health`, { redirect: "manual" });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

describe.each(ENGINES)("a node whose backend is like %s", (engine) => {
  const { ready } = engineOf(engine).health;
  let backend: TestEngine;
  let node: RealNode;

  beforeAll(async () => {
    backend = await TestEngine.start();
    node = await startNode({ model: modelOn(engine), enginePort: backend.port });
  });
  afterAll(async () => {
    await node?.stop();
    await backend?.stop();
  });
  afterEach(() => {
    backend.asked.length = 0;
  });

  it.each([
    [200, OK],
    [204, OK],
    [302, DEGRADED],
    [400, DEGRADED],
    [404, DEGRADED],
    [500, DEGRADED],
    [503, DEGRADED],
  ])("says what its answer %i is, once asked for it", async (status, said) => {
    backend.answer = (_, response) => {
      const location = "http://127.0.0.1:1/elsewhere";
      response.writeHead(status, { location, "content-type": "text/plain", "set-cookie": "a=b", etag: '"engine"' });
      response.end(status === 204 ? undefined : "words of the engine");
    };
    expect(await health(node)).toEqual(said);
    expect(backend.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${ready}`]);
  });

  it("is unhealthy while nobody listens, and ok again after", async () => {
    backend.answer = (_, response) => void response.end("{}");
    const back = await backend.leave();
    expect(await health(node)).toEqual(UNHEALTHY);
    await back();
    expect(await health(node)).toEqual(OK);
  });
});

describe("a node", () => {
  let backend: TestEngine;
  let node: RealNode;

  beforeAll(async () => {
    backend = await TestEngine.start();
    node = await startNode({
      model: modelOn("vllm"),
      enginePort: backend.port,
      times: { healthSeconds: 1, streamIdleSeconds: 60 },
    });
  });
  afterAll(async () => {
    await node?.stop();
    await backend?.stop();
  });
  afterEach(() => {
    backend.asked.length = 0;
    backend.answer = (_, response) => void response.end("{}");
  });

  it("is unhealthy when its backend hangs, after the time that it has", async () => {
    backend.answer = () => undefined;
    const began = performance.now();
    expect(await health(node)).toEqual(UNHEALTHY);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(backend.asked).toHaveLength(1);
  });

  it("is unhealthy when its backend breaks off before it has answered, and asks it once", async () => {
    backend.answer = (incoming) => void incoming.socket.destroy();
    expect(await health(node)).toEqual(UNHEALTHY);
    expect(backend.asked.length).toBeLessThanOrEqual(1);
  });

  it("asks once, whatever the answer", async () => {
    backend.answer = (_, response) => void response.writeHead(503).end();
    await health(node);
    expect(backend.asked).toHaveLength(1);
  });

  it("knows success by its head: what comes after it may hang", async () => {
    backend.answer = (_, response) => response.writeHead(200).flushHeaders();
    expect(await health(node)).toEqual(OK);
  });

  it("says nothing of its backend and of Envoy's bookkeeping", async () => {
    for (const [status, location] of [
      [200, undefined],
      [302, "http://127.0.0.1:1/"],
      [500, undefined],
    ] as const) {
      backend.answer = (_, response) => {
        response.writeHead(status, { "x-engine": "vllm", "set-cookie": "a=b", ...(location && { location }) }).end("x");
      };
      const response = await fetch(`${node.url}/health`, { redirect: "manual" });
      expect([...response.headers.keys()].sort()).toEqual(["content-length", "content-type", "date", "server"]);
    }
  });

  it("answers HEAD alike, without a body, and asks its backend with GET", async () => {
    for (const [status, said] of [
      [200, OK],
      [404, DEGRADED],
    ] as const) {
      backend.answer = (incoming, response) => void response.writeHead(incoming.method === "GET" ? status : 405).end();
      const response = await fetch(`${node.url}/health`, { method: "HEAD" });
      expect([response.status, response.headers.get("content-type")]).toEqual([said.status, said.type]);
      expect(response.headers.get("content-length")).toBe(String(said.body.length));
      expect(await response.text()).toBe("");
      expect(backend.asked.at(-1)?.method).toBe("GET");
    }
  });

  it("takes a query, and no other method or path", async () => {
    expect((await fetch(`${node.url}/health?verbose=1`)).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await fetch(`${node.url}/health`, { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "GET, HEAD"]);
      expect(await response.json()).toMatchObject({ error: { code: "method_not_allowed" } });
    }
    for (const path of ["/health/", "/healthz", "/health/live", "/HEALTH", "/"]) {
      const response = await fetch(node.url + path);
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect(backend.asked).toHaveLength(1);
  });

  it("is not fooled by what a client says that Envoy says", async () => {
    const back = await backend.leave();
    const headers = {
      "x-envoy-upstream-service-time": "1",
      "x-envoy-original-path": "/infer",
      "x-envoy-retry-on": "5xx",
    };
    const response = await fetch(`${node.url}/health`, { headers });
    expect([response.status, await response.text()]).toEqual([503, UNHEALTHY.body]);
    await back();
  });

  it("is degraded by a backend that says that it did not answer", async () => {
    backend.answer = (_, response) => void response.writeHead(503, { "x-envoy-upstream-service-time": "" }).end();
    expect(await health(node)).toEqual(DEGRADED);
  });

  it("says how it is while its engine is full", async () => {
    backend.answer = (incoming, response) => void (incoming.method === "GET" ? response.end("{}") : undefined);
    const open = Array.from({ length: 1000 }, () => {
      const sent = request(`${node.url}/infer`, { method: "POST", agent: false });
      sent.on("error", () => undefined).end("{}");
      return sent;
    });
    await waitFor("the engine to be full", async () => (backend.asked.length >= open.length ? true : undefined), 60);
    expect(await health(node)).toEqual(OK);
    for (const sent of open) {
      sent.destroy();
    }
  });
});

describe("a node whose backend speaks no HTTP", () => {
  let server: Server;
  let node: RealNode;
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    server = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-OpenSSH_9.2\r\n"));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    node = await startNode({ model: modelOn("vllm"), enginePort: port });
  });
  afterAll(async () => {
    await node?.stop();
    server?.close();
  });

  it("is unhealthy", async () => {
    expect(await health(node)).toEqual(UNHEALTHY);
  });
});

describe("a node of a real Ollama", () => {
  let ollama: Ollama;
  let node: RealNode;
  beforeAll(async () => {
    ollama = await startOllama();
    node = await startNode({ model: modelOn("ollama"), enginePort: Number(new URL(ollama.url).port) });
  });
  afterAll(async () => {
    await node?.stop();
    await ollama?.stop();
  });

  it("is degraded where the node takes it for a Triton", async () => {
    const mistaken = await startNode({ model: modelOn("triton"), enginePort: Number(new URL(ollama.url).port) });
    expect(await health(mistaken)).toEqual(DEGRADED);
    await mistaken.stop();
  });

  it("is ok, then unhealthy when it is killed, then ok again", async () => {
    expect(await health(node)).toEqual(OK);
    await ollama.process.kill();
    expect(await health(node)).toEqual(UNHEALTHY);
    await ollama.process.start();
    expect(await health(node)).toEqual(OK);
  });
});

describe("a node of a real Triton", () => {
  const triton = sharedBySuite(() => RealTritonModel.start());
  const node = sharedBySuite(() => startNode({ model: modelOn("triton"), enginePort: triton().port }));

  it("is ok as long as Triton says so, which it does until it has stopped, then unhealthy", async () => {
    expect(await health(node())).toEqual(OK);
    const stream = await fetch(`${node().url}/v2/models/llama/generate_stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text_input: "last", sampling_param_max_tokens: 3 }),
    });
    const stopped = triton().process.terminate();
    expect(await stream.text()).toContain('"text_output":"last 2"');
    await stopped;
    expect(await health(node())).toEqual(UNHEALTHY);
  });
});
