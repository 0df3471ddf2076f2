import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";

/** What is asked of Ollama to have a model answer, or to load it: without a prompt. */
const ASKED = z.object({ model: z.string(), prompt: z.string().optional(), keep_alive: z.number().optional() });

/** Stands before a real Ollama, sees what it is asked, and may keep it waiting. */
export class EngineProxy {
  /** Prompts that were put to the engine, in order. */
  readonly prompts: string[] = [];
  /** Models that it was told to load, whether or not it was let. */
  readonly loads: string[] = [];
  /** Loads wait for this. */
  loadsWait: Promise<void> = Promise.resolve();
  /** Prompts that the engine's process does not survive. */
  poison: string | undefined;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<EngineProxy> {
    const server = createServer((request, response) => {
      proxy.relay(target, request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy: EngineProxy = new EngineProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return proxy;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async relay(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url === "/api/generate") {
      const { model, prompt, keep_alive } = ASKED.parse(JSON.parse(body));
      if (prompt !== undefined) {
        this.prompts.push(prompt);
        if (prompt === this.poison) {
          // In the words of Ollama 0.6.5 (llm/server.go).
          response.writeHead(500).end(JSON.stringify({ error: "llama runner process no longer running: -1" }));
          return;
        }
      } else if (keep_alive !== 0) {
        this.loads.push(model);
        await this.loadsWait;
        if (response.destroyed) {
          return;
        }
      }
    }
    const { method, url, headers } = request;
    const asked = forward(`${target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // Either side that goes away takes the other with it.
    asked.on("error", () => response.destroy());
    response.on("close", () => asked.destroy());
    asked.end(body);
  }
}
