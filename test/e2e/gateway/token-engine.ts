import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** One answer that is under way, as the engine sees it. */
export interface EngineStream {
  /** Sends the next token; the last one ends the answer. */
  next(): void;
  /** Dies as a process does: the connection breaks where the answer is. */
  die(): void;
  /** Settles when the client is gone before the answer's end. */
  readonly cancelled: Promise<void>;
}

/**
 * An engine that streams chats as OpenAI does, each token when the test says so: what a client has seen before it asked for
 * more was not held back on the way. A request says in `user` of its body which answer it is.
 */
export class TokenEngine {
  /** Chats that arrived, by `user`, repeated ones too. */
  readonly arrived = new Map<string, number>();
  private readonly streams = new Map<string, EngineStream>();
  /** What it does with a chat instead of answering. */
  onChat: ((response: ServerResponse) => void) | undefined;

  /** @param tokens of each answer */
  constructor(private readonly tokens: number) {}

  readonly listener: RequestListener = (request, response) => {
    if (request.method === "GET") {
      // Is it well?
      response.end("{}");
      return;
    }
    void this.chat(request, response);
  };

  stream(user: string): EngineStream {
    const stream = this.streams.get(user);
    if (stream === undefined) {
      throw new Error(`no chat of "${user}" arrived; there are: ${[...this.streams.keys()].join(", ")}`);
    }
    return stream;
  }

  private async chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const { user = "" } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly user?: string };
    this.arrived.set(user, (this.arrived.get(user) ?? 0) + 1);
    if (this.onChat) {
      this.onChat(response);
      return;
    }
    let sent = 0;
    const next = () => {
      sent += 1;
      response.write(event({ choices: [{ index: 0, delta: { content: `${sent} ` }, finish_reason: null }] }));
      if (sent === this.tokens) {
        const usage = { prompt_tokens: 3, completion_tokens: sent, total_tokens: sent + 3 };
        response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
        response.end(`${event({ choices: [], usage })}data: [DONE]\n\n`);
      }
    };
    const cancelled = new Promise<void>((resolve) =>
      response.once("close", () => (response.writableFinished ? undefined : resolve())),
    );
    this.streams.set(user, { next, cancelled, die: () => response.socket?.destroy() });
    response.writeHead(200, { "content-type": "text/event-stream" });
    next();
  }
}

function event(part: object): string {
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: "assistant", ...part };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
