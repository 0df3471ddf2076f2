import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { CONSUMER_HEADER } from "../consumer-header";
import { shortened } from "../words";
import { answerJson, Refusal, refuse } from "./answers";
import { askedModel, HeldBytes, readBody } from "./body";
import { type Call, callOf, type Dialect, dialectOf } from "./calls";
import type { RelayConfig } from "./config";
import type { Directory, Holder } from "./directory";
import { forward, NotConnected, traceHeaders } from "./forward";
import { type Tenant, Tenants } from "./tenants";

/** Total header size: Envoy's client limit (60 KiB) plus headers that Envoy adds. */
const MOST_HEADER_BYTES = 64 * 1024;

export interface RelayParts {
  readonly config: Pick<RelayConfig, "tenants" | "ollamaApi" | "limits">;
  readonly directory: Directory;
  readonly log: Logger;
  /**
   * Called when a request ends, with its model if known and its status; 0 if the client left first.
   */
  readonly onAnswer?: (dialect: Dialect, model: string | undefined, status: number) => void;
}

/**
 * Forwards requests to workers that have the model. Trusts only the gateway's caller header, and
 * the request's method, path and body.
 */
export class RelayServer {
  readonly http: Server;
  private readonly tenants: Tenants;
  private readonly held: HeldBytes;
  private readonly inFlight = new Map<string, number>();
  private readonly unused = new Set<Socket>();
  private count = 0;

  constructor(private readonly parts: RelayParts) {
    const { tenants, limits } = parts.config;
    this.tenants = new Tenants(tenants);
    this.held = new HeldBytes(limits.heldBytes);
    this.http = createServer({
      maxHeaderSize: MOST_HEADER_BYTES,
      requestTimeout: limits.receiveSeconds * 1000,
      headersTimeout: limits.receiveSeconds * 1000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 75_000,
    });
    // One connection per running request; proxies keep idle ones in addition.
    this.http.maxConnections = 2 * limits.parallelRequests;
    this.http.on("connection", (socket: Socket) => {
      this.unused.add(socket);
      socket.once("close", () => this.unused.delete(socket));
    });
    this.http.on("request", (request, response) => {
      this.unused.delete(request.socket);
      void this.answer(request, response);
    });
  }

  /** Stops accepting requests and drains running ones with their connections. */
  async close(): Promise<void> {
    // Kept connections close after their next answer.
    this.http.prependListener("request", (_request, response) => response.setHeader("connection", "close"));
    const closed = new Promise((resolve) => this.http.close(resolve));
    // Node closes idle kept connections, but not new connections without a request.
    for (const socket of this.unused) {
      socket.destroy();
    }
    await closed;
  }

  /** Requests in work. */
  get running(): number {
    return this.count;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { onAnswer, log } = this.parts;
    const dialect = dialectOf(request.url ?? "");
    const left = new AbortController();
    const asked: Asked = { request, response, dialect, left: left.signal };
    response.once("close", () => left.abort(new Error("the client left")));
    this.count += 1;
    try {
      await this.work(asked);
    } catch (error) {
      if (response.headersSent) {
        log.warn({ model: asked.model, problem: problemOf(error) }, "an answer was cut");
        response.destroy();
      } else if (!left.signal.aborted) {
        refuse(response, dialect, this.refusalOf(error));
      }
    } finally {
      this.count -= 1;
      onAnswer?.(dialect, asked.model, response.headersSent ? response.statusCode : 0);
    }
  }

  private refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal) {
      return error;
    }
    this.parts.log.error({ error }, "a request failed");
    return new Refusal(502, "relay_failed", "the request could not be forwarded");
  }

  private async work(asked: Asked): Promise<void> {
    const { request, response, dialect } = asked;
    const { config, directory } = this.parts;
    const tenant = this.tenants.of(request.headers[CONSUMER_HEADER], dialect);
    const call = callOf(request.method ?? "", request.url ?? "");
    if (call === undefined || (call.dialect === "ollama" && !config.ollamaApi)) {
      throw new Refusal(404, "unknown_url", "there is no such path here");
    }
    if (this.count > config.limits.parallelRequests) {
      throw new Refusal(503, "busy", "too many requests at once: try again");
    }
    if (call.kind === "forward") {
      await this.pass(asked, call, tenant);
    } else if (call.what === "version") {
      answerJson(response, 200, { version: await directory.version() });
    } else {
      const models = call.what === "tags" ? await directory.tags(tenant) : await directory.running(tenant);
      answerJson(response, 200, { models });
    }
  }

  private async pass(asked: Asked, { path }: Extract<Call, { kind: "forward" }>, tenant: Tenant): Promise<void> {
    const { directory, config } = this.parts;
    const { request, response, left } = asked;
    const { bytes, release } = await readBody(request, config.limits.bodyBytes, this.held, tenant);
    try {
      const { model, toWorker } = askedModel(path, bytes);
      // `/api/show` does not load the model.
      const place = await directory.find(model, tenant, path !== "/api/show");
      asked.model = place.model;
      left.throwIfAborted();
      const headers = traceHeaders(request);
      const problems: string[] = [];
      for (const { worker, name } of this.leastBusyFirst(place.holders)) {
        const to = { url: worker.url, path, body: toWorker(name), headers };
        try {
          return await this.counted(worker.name, () => forward(to, response, config.limits, left, release));
        } catch (error) {
          if (!(error instanceof NotConnected)) {
            throw error;
          }
          problems.push(`${worker.name}: ${shortened(error.message)}`);
        }
      }
      this.parts.log.warn({ model: place.model, problems }, "no server of a model could be reached");
      throw new Refusal(503, "model_away", "the servers that have the model cannot be reached");
    } finally {
      release();
    }
  }

  /** Answers differ widely in length: the number of running ones measures load. */
  private leastBusyFirst(holders: readonly Holder[]): readonly Holder[] {
    const load = ({ worker }: Holder) => this.inFlight.get(worker.name) ?? 0;
    return [...holders].sort((a, b) => load(a) - load(b));
  }

  private async counted(worker: string, work: () => Promise<void>): Promise<void> {
    this.inFlight.set(worker, (this.inFlight.get(worker) ?? 0) + 1);
    try {
      await work();
    } finally {
      this.inFlight.set(worker, (this.inFlight.get(worker) ?? 1) - 1);
    }
  }
}

/** Request in progress. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: Dialect;
  /** Aborts when the client disconnects. */
  readonly left: AbortSignal;
  /** Set once a worker with the model is found. */
  model?: string;
}

function problemOf(error: unknown): string {
  return shortened(error instanceof Error ? error.message : String(error));
}
