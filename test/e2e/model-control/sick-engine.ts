import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** @param body what the engine was sent. */
export type Answer = (response: ServerResponse, body: string) => void | Promise<void>;

/** An Ollama that has one model, and answers what it is told to where it is told to. */
export class SickEngine {
  /** By path; `*` for all. */
  readonly answers = new Map<string, Answer>();
  /** Paths that it was asked for, in order. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param isLoaded whether the model is in its memory. */
  static async start(model: string, { isLoaded = false }: { readonly isLoaded?: boolean } = {}): Promise<SickEngine> {
    const server = createServer((request, response) => {
      // A client that goes away in mid-request is none of its business.
      void engine.answer(request, response, model, isLoaded).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const engine: SickEngine = new SickEngine(server, url);
    return engine;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    model: string,
    isLoaded: boolean,
  ): Promise<void> {
    const path = request.url ?? "";
    this.asked.push(path);
    response.on("error", () => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const told = this.answers.get(path) ?? this.answers.get("*");
    if (told !== undefined) {
      return told(response, Buffer.concat(chunks).toString());
    }
    const models = [{ name: model, size: 1000, size_vram: 0, expires_at: "2026-11-22T00:00:00Z" }];
    const bodies: Readonly<Record<string, object>> = {
      "/api/version": { version: "0.32.15" },
      "/api/tags": { models },
      "/api/pull": { status: "success" },
      "/api/ps": { models: isLoaded ? models : [] },
    };
    response.end(JSON.stringify(bodies[path] ?? { models: [] }));
  }
}

export const never: Answer = () => undefined;

export function status(code: number, body = "{}"): Answer {
  return (response) => void response.writeHead(code, { location: "/elsewhere" }).end(body);
}

/** Sends the same bytes again and again, as fast as they are taken. */
export function endless(text: string): Answer {
  const bytes = Buffer.from(text);
  return async (response) => {
    while (!response.destroyed) {
      if (!response.write(bytes)) {
        await drained(response);
      }
    }
  };
}

/** Sends the same bytes after every so many milliseconds. */
export function dripping(text: string, milliseconds: number): Answer {
  return (response) => {
    response.write(text);
    const timer = setInterval(() => response.write(text), milliseconds);
    response.on("close", () => clearInterval(timer));
  };
}

/** Until more is taken, or nothing ever again. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}
