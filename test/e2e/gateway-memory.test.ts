import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../rehearsal/cluster/ports";
import { waitFor } from "../../rehearsal/cluster/wait";
import { requirePart } from "../../rehearsal/parts/find";
import { controlHostnameRun } from "../stacks/run";
import { envoyConfig } from "./gateway/envoy-config";
import { type RenderedGateway, renderedGateway } from "./gateway/rendered-gateway";
import { ServerProcess } from "./model-control/registry/server-process";
import { issueCertificate } from "./model-store/authority";

const MIB = 2 ** 20;
const MODELS = "https";
const CONTROL = "model-control";

/** A real Envoy with a rendered Gateway's limits, before servers that read nothing (control) or answer whole bodies (models). */
class TestGateway {
  private readonly sockets: TLSSocket[] = [];

  private constructor(
    private readonly envoy: ServerProcess,
    private readonly servers: readonly Server[],
    private readonly admin: number,
    private readonly port: number,
    private readonly gateway: RenderedGateway,
  ) {}

  static async start(gateway: RenderedGateway): Promise<TestGateway> {
    const names = gateway.listeners.flatMap(({ hostname }) => (hostname === undefined ? [] : [`DNS:${hostname}`]));
    const certificate = issueCertificate(names);
    const models = createServer((request, response) => {
      request.resume().on("end", () => response.end("answer"));
    });
    // As slow as a service can be: what is not read stays with Envoy or the client.
    const control = createServer((request) => void request.pause());
    const servers = [models, control];
    for (const server of servers) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    }
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    const [admin = 0, port = 0] = await freePorts(2);
    const ports = {
      admin,
      listeners: { 443: port },
      backends: { [MODELS]: portOf(models), [CONTROL]: portOf(control) },
    };
    const envoy = await ServerProcess.start((folder) => {
      const file = join(folder, "envoy.json");
      writeFileSync(file, JSON.stringify(envoyConfig(gateway, ports, certificate)));
      return {
        command: requirePart("envoy"),
        args: ["-c", file, "--use-dynamic-base-id", "--concurrency", "2", "--log-level", "error"],
        ready: async () => (await fetch(`http://127.0.0.1:${admin}/ready`)).ok,
      };
    });
    return new TestGateway(envoy, servers, admin, port, gateway);
  }

  /** MiB that Envoy has allocated. */
  async memoryMiB(): Promise<number> {
    const { allocated } = (await (await fetch(`http://127.0.0.1:${this.admin}/memory`)).json()) as {
      allocated: string;
    };
    return Number(allocated) / MIB;
  }

  connect(listener: string): Promise<TLSSocket> {
    const { hostname } = this.listener(listener);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: this.port, servername: hostname, rejectUnauthorized: false });
      this.sockets.push(socket);
      socket.once("secureConnect", () => resolve(socket));
      socket.once("error", reject);
      socket.on("error", () => undefined);
    });
  }

  /** Sends all of a body but its last byte, as fast as it is taken. */
  async unfinished(listener: string, bytes: number, key?: string): Promise<TLSSocket> {
    const socket = await this.connect(listener);
    const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
    const { hostname } = this.listener(listener);
    socket.write(`POST /v1/x HTTP/1.1\r\nHost: ${hostname}\r\n${authorization}Content-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes - 1));
    socket.resume();
    return socket;
  }

  /** Status of a whole small request. */
  async status(listener: string, key?: string): Promise<number> {
    const socket = await this.connect(listener);
    const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
    const { hostname } = this.listener(listener);
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.write(`POST /v1/x HTTP/1.1\r\nHost: ${hostname}\r\n${authorization}Content-Length: 2\r\n\r\n{}`);
    return Number(/^HTTP\/1.1 (\d+)/.exec(await answer)?.[1]);
  }

  private listener(name: string) {
    const listener = this.gateway.listeners.find((candidate) => candidate.name === name);
    if (listener === undefined) {
      throw new Error(`the Gateway has no listener ${name}`);
    }
    return listener;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) {
      socket.destroy();
    }
    for (const server of this.servers) {
      server.closeAllConnections();
      server.close();
    }
    await this.envoy.stop();
  }
}

/** What each attacker sends; 40 of them took every model away from a gateway that buffered for all. */
const BODY = 32 * MIB;

describe("the gateway under bodies that never end", () => {
  let rendered: RenderedGateway;
  let gateway: TestGateway | undefined;
  const key = () => Object.values(rendered.keys)[0] ?? "";
  const started = async (changed = rendered) => {
    gateway = await TestGateway.start(changed);
    return gateway;
  };

  beforeAll(async () => {
    // Images: the largest bodies that an environment takes by default, and the models' limit on the shared port.
    rendered = renderedGateway(await controlHostnameRun("dev", "    maxRequestMiB: 32\n"));
  });
  afterEach(async () => {
    await gateway?.stop();
    gateway = undefined;
  });

  it("holds less than half of its heap for who has no key, on either listener, and serves those who have one", async () => {
    const target = await started();
    expect(await target.status(MODELS)).toBe(401);
    expect(await target.status(MODELS, key())).toBe(200);
    const attack = (listener: string, attackers: number) => {
      for (let i = 0; i < attackers; i += 1) {
        void target.unfinished(listener, BODY).catch(() => undefined);
      }
    };
    const before = await target.memoryMiB();
    attack(MODELS, 40);
    await pause(3000);
    expect(await target.memoryMiB()).toBeLessThan(before + 20);
    attack(CONTROL, 100);
    await pause(5000);
    expect(await target.memoryMiB()).toBeLessThan((rendered.memoryBytes * 0.8) / 2 / MIB);
    expect(await target.status(MODELS, key())).toBe(200);
  });

  it("lets them go after the time that a request may take to come in", async () => {
    const target = await started();
    const socket = await target.unfinished(CONTROL, BODY);
    await waitFor("the connection to be ended", async () => socket.closed || socket.readableEnded || undefined, 25);
  });

  it("bounds the connections to the control API, and leaves the models' alone", async () => {
    const target = await started();
    const sockets = await Promise.allSettled(Array.from({ length: 100 }, () => target.connect(CONTROL)));
    await pause(2000);
    const open = sockets.filter((s) => s.status === "fulfilled" && !s.value.closed && !s.value.readableEnded);
    expect(open.length).toBeLessThanOrEqual(64);
    expect(open.length).toBeGreaterThan(40);
    expect(await target.status(MODELS, key())).toBe(200);
  });

  it("would hold every byte with the models' policies on the control API's listener: the measurement sees it", async () => {
    const models = rendered.listeners.find(({ name }) => name === MODELS);
    const target = await started({
      ...rendered,
      listeners: rendered.listeners.map((listener) =>
        listener.name === CONTROL ? { ...listener, client: models?.client, backend: models?.backend } : listener,
      ),
    });
    const before = await target.memoryMiB();
    for (let i = 0; i < 20; i += 1) {
      void target.unfinished(CONTROL, BODY - 1).catch(() => undefined);
    }
    await waitFor("Envoy to hold the bodies", async () => (await target.memoryMiB()) > before + 400 || undefined, 20);
  });
});
