/** What stands in for a registrar: it notes who called it, and answers as a test likes. */
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { waitFor } from "../../../rehearsal/cluster/wait";

export interface RegistrarCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** Of a PUT. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds of the clock of this process. */
  readonly at: number;
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

export const FRIENDLY: Behaviour = (_, response) => response.writeHead(204).end();

export class RegistrarStandIn {
  readonly calls: RegistrarCall[] = [];
  behaviour: Behaviour = FRIENDLY;
  private server: http.Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  private constructor(private readonly certificate: { readonly key: string; readonly cert: string } | undefined) {}

  /** @param certificate makes it speak TLS. */
  static async start(certificate?: { readonly key: string; readonly cert: string }): Promise<RegistrarStandIn> {
    const registrar = new RegistrarStandIn(certificate);
    await registrar.start();
    return registrar;
  }

  get url(): string {
    return this.certificate ? `https://localhost:${this.port}/api` : `http://127.0.0.1:${this.port}/api`;
  }

  /** As it was, after `kill`: on the same port. */
  async start(): Promise<void> {
    const server = this.certificate
      ? https.createServer(this.certificate, (...call) => this.answer(...call))
      : http.createServer((...call) => this.answer(...call));
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket.on("error", () => undefined).once("close", () => this.sockets.delete(socket)));
    });
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Every connection breaks, and nobody listens any more. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) {
      socket.destroy();
    }
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async called(method: string, times: number, seconds = 30): Promise<readonly RegistrarCall[]> {
    return waitFor(
      `${times} × ${method}`,
      async () => {
        const calls = this.calls.filter((call) => call.method === method);
        return calls.length >= times ? calls : undefined;
      },
      seconds,
    );
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      this.calls.push({
        method: request.method ?? "",
        path: request.url ?? "",
        authorization: request.headers.authorization,
        record: text === "" ? undefined : JSON.parse(text),
        at: performance.now(),
      });
      this.behaviour(request, response);
    });
  }
}
