import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What an engine was asked: names and values of headers as they came, repeated ones too. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** A server on loopback in an engine's place, which answers as a test says and remembers what it was asked. */
export class TestEngine {
  readonly asked: Asked[] = [];
  /** Answers from now on. @default 200 and an empty object, once the body is there */
  answer: RequestListener = (_, response) => void response.end("{}");

  private constructor(private readonly server: Server) {
    // Node counts out of a request what is not its head; hostile ones must reach it for a test to see them.
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      const { rawHeaders } = request;
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const headers = rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
        );
        this.asked.push({
          method: request.method ?? "",
          url: request.url ?? "",
          headers,
          body: Buffer.concat(chunks),
        });
      });
      this.answer(request, response);
    });
  }

  static async start(): Promise<TestEngine> {
    const engine = new TestEngine(createServer());
    await engine.listen(0);
    return engine;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Every value of a header in the last request. */
  lastValues(name: string): string[] {
    return (this.asked.at(-1)?.headers ?? []).flatMap(([each, value]) => (each === name ? [value] : []));
  }

  /** Breaks off all that it was asked and has not answered. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  /** Stops listening, and gives a way to come back at the same port. */
  async leave(): Promise<() => Promise<void>> {
    const { port } = this;
    await this.stop();
    return () => this.listen(port);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
  }
}
