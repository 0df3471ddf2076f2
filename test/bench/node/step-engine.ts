import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Tokens of each answer. */
export const TOKENS = 32;

/** Milliseconds of a step, in which an engine makes one token for each running request: a fast card with a small model. */
const STEP_MS = 5;

const HEAD = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 0, model: "bench" } as const;
const TOKEN = event({ choices: [{ index: 0, delta: { content: "token " }, finish_reason: null }] });
const LAST = `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;

/**
 * Behaves as engines do: it works in steps, each of which makes a token for every request that runs ("continuous batching"), so that its steps and not the
 * CPU decide how much it answers. With a header it answers at once instead, as nothing that computes does.
 */
export class StepEngine {
  private readonly running = new Map<ServerResponse, number>();
  private readonly steps = setInterval(() => this.step(), STEP_MS);
  private readonly server = createServer((request, response) => this.listener(request, response));

  /** Header of a request that is answered at once. */
  static readonly AT_ONCE = { "x-bench": "at-once" } as const;

  /** @returns its port on loopback. */
  async start(): Promise<number> {
    // Node closes idle connections after 5 s, in the moment in which the next request may be on its way.
    this.server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    clearInterval(this.steps);
    this.server.closeAllConnections();
    this.server.close();
  }

  private readonly listener: RequestListener = (request, response) => {
    request.resume().on("end", () => {
      if (request.headers["x-bench"] === StepEngine.AT_ONCE["x-bench"]) {
        response.setHeader("content-type", "application/json").end("{}");
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      this.running.set(response, 0);
      response.once("close", () => this.running.delete(response));
    });
  };

  private step(): void {
    for (const [response, made] of this.running) {
      if (made < TOKENS) {
        response.write(TOKEN);
        this.running.set(response, made + 1);
      } else {
        this.running.delete(response);
        response.end(LAST);
      }
    }
  }
}

function event(fields: object): string {
  return `data: ${JSON.stringify({ ...HEAD, ...fields })}\n\n`;
}
