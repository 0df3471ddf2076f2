import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Tokens of a stream. */
export const TOKENS = 200;

/** Header of a request that asks for a stream: reading bodies of a MiB to find out would be measured too. */
export const STREAM = { "x-bench": "stream" } as const;

/**
 * An engine that costs nothing: it reads a request, and answers at once with a completion, or with a stream of tokens. While it
 * is held it keeps answers back.
 */
export class Backend {
  private readonly heldBack: (() => void)[] = [];
  private isHeld = false;

  readonly listener: RequestListener = (request, response) => {
    request.resume().on("end", () => {
      const streams = request.headers["x-bench"] === STREAM["x-bench"];
      response.setHeader("content-type", streams ? "text/event-stream" : "application/json");
      const answer = () => (streams ? void stream(response) : void response.end(COMPLETION));
      if (this.isHeld) {
        this.heldBack.push(answer);
      } else {
        answer();
      }
    });
  };

  /** Requests that it has read whole, and not answered. */
  get held(): number {
    return this.heldBack.length;
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const answer of this.heldBack.splice(0)) {
      answer();
    }
  }

  /** Makes it answer on this machine's loopback too, past any proxy. */
  async direct(): Promise<{ readonly port: number; close(): void }> {
    const server = createServer(this.listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { port: (server.address() as AddressInfo).port, close };
  }
}

const USAGE = { prompt_tokens: 30, completion_tokens: TOKENS, total_tokens: TOKENS + 30 } as const;
const HEAD = { id: "chatcmpl-bench", created: 0, model: "bench" } as const;

const COMPLETION = JSON.stringify({
  ...HEAD,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "token ".repeat(TOKENS) }, finish_reason: "stop" }],
  usage: USAGE,
});

const TOKEN = event({ choices: [{ index: 0, delta: { content: "token " }, finish_reason: null }] });
const LAST = event({ choices: [], usage: USAGE });

function event(fields: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", ...fields })}\n\n`;
}

/** A write for each token, as engines do. */
async function stream(response: ServerResponse): Promise<void> {
  for (let token = 0; token < TOKENS; token += 1) {
    response.write(TOKEN);
    await new Promise(setImmediate);
  }
  response.end(`${LAST}data: [DONE]\n\n`);
}
