import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { issueCertificate } from "../model-store/authority";
import { type RealNode, startNode } from "./real-node";
import { KEY, NODE_MODEL, NODE_PATH, RENEW_SECONDS, RegisteredNode, type Registrar } from "./registered-node";
import { type Behaviour, FRIENDLY, RegistrarStandIn } from "./registrar-stand-in";

const TTL_SECONDS = 3 * RENEW_SECONDS;

let engine: Server;
let engineIsWell = true;
/** The node itself: a real Envoy before an engine that answers. */
let node: RealNode;
let registrar: RegistrarStandIn;
let registered: RegisteredNode | undefined;

beforeAll(async () => {
  engine = createServer((request, response) => {
    request.resume();
    const status = request.url === "/v1/chat/completions" || engineIsWell ? 200 : 500;
    response.writeHead(status, { "content-type": "application/json" }).end('{"choices":[]}');
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  const { port } = engine.address() as AddressInfo;
  node = await startNode({ model: { ...NODE_MODEL, node: { group: "inference-cluster" } }, enginePort: port });
});

afterAll(async () => {
  await node?.stop();
  engine.closeAllConnections();
  engine.close();
});

beforeEach(async () => {
  engineIsWell = true;
  registrar = await RegistrarStandIn.start();
});

afterEach(async () => {
  await registered?.stop();
  registered = undefined;
  await registrar.kill();
});

async function start(at: Registrar = registrar): Promise<RegisteredNode> {
  registered = await RegisteredNode.start(at, node);
  return registered;
}

/** Status of one request for inference at the node. */
async function serves(): Promise<number> {
  const answer = await fetch(`${node.url}/infer`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: NODE_MODEL.servedName, messages: [] }),
  });
  await answer.text();
  return answer.status;
}

const methods = () => registrar.calls.map(({ method }) => method);
const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));

describe("a node and its registrar", () => {
  it("registers, renews three times, and leaves before it drains: it serves until its engine has ended", async () => {
    const sidecar = await start();
    const [first, ...renewals] = await registrar.called("PUT", 4);
    expect(first).toMatchObject({
      path: NODE_PATH,
      authorization: `Bearer ${KEY}`,
      record: {
        group: "inference-cluster",
        node: "model-llama-8b-0",
        address: `http://127.0.0.1:${node.port}`,
        health: "/health",
        infer: "/infer",
        model: NODE_MODEL.servedName,
        engine: "vllm",
        ttlSeconds: TTL_SECONDS,
      },
    });
    expect(renewals.map(({ record }) => record)).toEqual(renewals.map(() => first?.record));
    expect(await sidecar.series("inference_node_registered")).toBe(1);
    // What the record says of the node is so.
    const { address, health, infer } = first?.record ?? {};
    expect((await fetch(`${address}${health}`)).status).toBe(200);
    expect(`${address}${infer}`).toBe(`${node.url}/infer`);

    sidecar.preStop();
    const [left] = await registrar.called("DELETE", 1);
    expect(left).toMatchObject({ path: NODE_PATH, authorization: `Bearer ${KEY}` });
    expect(await serves()).toBe(200);
    expect(await sidecar.series("inference_node_registered")).toBe(0);
    expect(await sidecar.series("inference_node_registration_wanted")).toBe(0);
    // It drains for longer than a renewal would have taken.
    await seconds(2 * RENEW_SECONDS);
    sidecar.process.signal("SIGTERM");
    expect((await sidecar.process.ended).status).toBe(0);
    expect(methods().filter((method) => method === "DELETE")).toHaveLength(1);
    expect(methods().at(-1)).toBe("DELETE");
    expect(sidecar.states()).toEqual(["registered", "left"]);
  });

  it("leaves on SIGTERM where no hook was run", async () => {
    const sidecar = await start();
    await registrar.called("PUT", 1);
    sidecar.process.signal("SIGTERM");
    expect((await sidecar.process.ended).status).toBe(0);
    expect(methods().at(-1)).toBe("DELETE");
  });

  it("registers while it is well alone, by the word of its own /health", async () => {
    engineIsWell = false;
    const sidecar = await start();
    await sidecar.becomes("waiting");
    await seconds(2);
    expect(registrar.calls).toEqual([]);
    engineIsWell = true;
    await sidecar.becomes("registered");
    engineIsWell = false;
    await sidecar.becomes("left");
    expect(methods().at(-1)).toBe("DELETE");
    expect(await sidecar.series("inference_node_registration_wanted")).toBe(0);
    engineIsWell = true;
    await sidecar.becomes("registered");
  });

  it("serves on when its registrar is killed, says so, and is registered again when that is back", async () => {
    const sidecar = await start();
    await registrar.called("PUT", 2);
    await registrar.kill();
    const failing = await sidecar.becomes("failing");
    expect(failing.reason).toMatch(/^connection: ECONN(REFUSED|RESET)$/);
    await sidecar.becomes("unregistered");
    expect(await sidecar.series("inference_node_registered")).toBe(0);
    expect(await sidecar.series("inference_node_registration_wanted")).toBe(1);
    expect(await sidecar.series('inference_node_registration_failures_total{kind="connection"}')).toBeGreaterThan(0);
    expect(await serves()).toBe(200);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
    await registrar.start();
    await sidecar.becomes("registered");
    expect(await sidecar.series("inference_node_registered")).toBe(1);
    // A line for each change, and none for a try that changed nothing.
    expect(sidecar.states()).toEqual(["registered", "failing", "unregistered", "registered"]);
  });

  it("ends in time when the registrar is away: what it could not say, the end of its registration says", async () => {
    const sidecar = await start();
    await registrar.called("PUT", 1);
    registrar.behaviour = () => undefined;
    const started = performance.now();
    sidecar.process.signal("SIGTERM");
    expect((await sidecar.process.ended).status).toBe(0);
    expect(performance.now() - started).toBeLessThan(12_000);
    expect(sidecar.states().at(-1)).toBe("leaving");
  });
});

describe("a registrar with a private authority", () => {
  const certificate = issueCertificate(["DNS:localhost"]);
  let private_: RegistrarStandIn;

  beforeEach(async () => {
    private_ = await RegistrarStandIn.start({ key: certificate["tls.key"], cert: certificate["tls.crt"] });
  });
  afterEach(() => private_.kill());

  it("is trusted by the node that has its certificate", async () => {
    const sidecar = await start({ url: private_.url, authority: certificate["ca.crt"] });
    const [call] = await private_.called("PUT", 1);
    expect(call?.authorization).toBe(`Bearer ${KEY}`);
    await sidecar.becomes("registered");
  });

  it.each([
    ["one that does not", undefined],
    ["one that trusts another", issueCertificate(["DNS:localhost"])["ca.crt"]],
  ])("gets no key of %s", async (_, authority) => {
    const sidecar = await start({ url: private_.url, ...(authority && { authority }) });
    const { reason } = await sidecar.becomes("unregistered");
    expect(reason).toMatch(/^tls: [A-Z_]+$/);
    expect(private_.calls).toEqual([]);
    expect(await serves()).toBe(200);
  });
});

/** Bytes without end, as fast as they are taken. */
const endless =
  (first: string, then: string): Behaviour =>
  (request) => {
    const { socket } = request;
    const block = then.repeat(Math.ceil(65_536 / then.length));
    const more = () => {
      while (!socket.destroyed && socket.write(block)) {}
    };
    socket.write(first);
    socket.on("drain", more);
    more();
  };

describe("a hostile registrar", () => {
  const elsewhere: string[] = [];
  let other: Server;
  beforeAll(async () => {
    other = createServer(({ url, headers }, response) => {
      elsewhere.push(`${url} ${headers.authorization}`);
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => other.close());
  const location = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}/stolen`;

  it.each<[string, string, Behaviour]>([
    ["hangs", "timeout", () => undefined],
    ["answers 500", "server-error", (_, response) => response.writeHead(500).end(`you sent ${KEY}`)],
    ["redirects elsewhere", "redirect", (_, response) => response.writeHead(307, { location: location() }).end()],
    ["sends headers without end", "protocol", endless("HTTP/1.1 200 OK\r\n", "x: y\r\n")],
    ["sends interim answers without end", "timeout", endless("", "HTTP/1.1 103 Early Hints\r\n\r\n")],
    ["is no registrar", "protocol", ({ socket }) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
    ["echoes the key in a status text", "refused", (_, response) => response.writeHead(418, `no ${KEY}`).end()],
  ])("that %s costs the node nothing", async (_, kind, behaviour) => {
    registrar.behaviour = behaviour;
    const sidecar = await start();
    const { reason } = await sidecar.becomes("unregistered");
    expect(reason?.startsWith(`${kind}: `)).toBe(true);
    const before = sidecar.process.memoryMiB();
    await registrar.called("PUT", 2);
    expect(sidecar.process.memoryMiB() - before).toBeLessThan(40);
    expect(await serves()).toBe(200);
    const gaps = registrar.calls.map(({ at }, i) => at - (registrar.calls[i - 1]?.at ?? 0)).slice(1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(990);
    expect(await sidecar.series(`inference_node_registration_failures_total{kind="${kind}"}`)).toBeGreaterThan(0);
    expect(elsewhere).toEqual([]);
    expect(sidecar.log()).toHaveLength(1);
    expect(sidecar.process.output + (await (await fetch(sidecar.metricsUrl)).text())).not.toContain(KEY);
    registrar.behaviour = FRIENDLY;
    // The try on its way has its time, then there is a pause: 20 s, and more on a busy machine.
    await sidecar.becomes("registered", 90);
  });

  it("that answers with a body without end is one that answered: none of it is read", async () => {
    registrar.behaviour = endless("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(65_536));
    const sidecar = await start();
    await sidecar.becomes("registered");
    const before = sidecar.process.memoryMiB();
    await registrar.called("PUT", 5);
    expect(sidecar.process.memoryMiB() - before).toBeLessThan(40);
    expect(sidecar.log()).toHaveLength(1);
  });

  it("that asks for patience gets it, for five minutes at most", async () => {
    registrar.behaviour = (_, response) => response.writeHead(429, { "retry-after": "4" }).end();
    await start();
    const [first, second] = await waitFor(
      "a second try",
      async () => (registrar.calls.length > 1 ? registrar.calls : undefined),
      20,
    );
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3990);
  });
});

describe("the port of its metrics", () => {
  it("answers nothing else", async () => {
    const sidecar = await start();
    await sidecar.becomes("registered");
    const status = async (path: string, method = "GET") =>
      (await fetch(new URL(path, sidecar.metricsUrl), { method })).status;
    const answers = [status("/metrics"), status("/"), status("/health"), status("/metrics", "DELETE")];
    expect(await Promise.all(answers)).toEqual([200, 404, 404, 404]);
  });

  it("has room for a few connections, and none for those that say nothing", async () => {
    const sidecar = await start();
    await sidecar.becomes("registered");
    const { port } = new URL(sidecar.metricsUrl);
    const closed: number[] = [];
    const idle = Array.from({ length: 40 }, () =>
      connect(Number(port), "127.0.0.1")
        .on("error", () => undefined)
        .resume()
        .once("close", () => closed.push(performance.now())),
    );
    await waitFor("those beyond sixteen to be turned away", async () => (closed.length >= 24 ? true : undefined), 5);
    expect(closed).toHaveLength(24);
    await waitFor("the others to be given up", async () => (closed.length === idle.length ? true : undefined), 15);
    expect(await sidecar.series("inference_node_registered")).toBe(1);
    expect(sidecar.states()).toEqual(["registered"]);
  });
});
