import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface StubRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal;
}

export interface StubAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Sent one after the other as lines of JSON; `body` is not. */
  readonly lines?: AsyncIterable<object> | Iterable<object>;
  /** Breaks the connection after the lines. */
  readonly breaks?: boolean;
}

export type StubHandler = (request: StubRequest) => StubAnswer | Promise<StubAnswer>;

/** A local HTTP server that remembers what it was asked. */
export class HttpStub {
  readonly requests: StubRequest[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly url: string,
  ) {}

  static async listen(handler: StubHandler): Promise<HttpStub> {
    const server = createServer((incoming, outgoing) => {
      void serve(incoming, outgoing, (request) => {
        stub.requests.push(request);
        return handler(request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") {
      throw new Error("the server has no port");
    }
    const stub = new HttpStub(server, `http://127.0.0.1:${address.port}`);
    return stub;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** `METHOD path` of each request, in order. */
  get asked(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse, handler: StubHandler): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString();
  const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { method = "", url: path = "" } = incoming;
  const answer = await handler({ method, path, body, gone: gone.signal });
  outgoing.writeHead(answer.status ?? 200);
  if (answer.lines === undefined) {
    outgoing.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}));
    return;
  }
  for await (const line of answer.lines) {
    if (gone.signal.aborted) {
      return;
    }
    if (!outgoing.write(`${JSON.stringify(line)}\n`)) {
      await once(outgoing, "drain", { signal: gone.signal }).catch(() => undefined);
    }
  }
  if (answer.breaks) {
    outgoing.destroy();
  } else {
    outgoing.end();
  }
}
