import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/**
 * An engine that works on so many requests at once, lets so many more wait, and refuses the others with 503, as Ollama does.
 * A request says in `user` of its body on whose behalf it is.
 */
export class EngineStandIn {
  /** Requests that arrived, and those of them that it refused, by `user`. */
  readonly arrived = new Map<string, number>();
  readonly refused = new Map<string, number>();
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private gate: Promise<void> = Promise.resolve();
  private openGate: () => void = () => undefined;

  constructor(
    private readonly slots: number,
    private readonly queue: number,
    /** Milliseconds of work on a request. */
    private readonly takes = 0,
  ) {}

  readonly listener: RequestListener = (request, response) => {
    void this.answer(request, response);
  };

  /** From here on requests are worked on until `release`. */
  hold(): void {
    this.gate = new Promise((resolve) => {
      this.openGate = resolve;
    });
  }

  release(): void {
    this.openGate();
  }

  /** Requests that it works on or keeps waiting. */
  get held(): number {
    return this.running + this.waiting.length;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      // Is it well? A full engine is.
      response.end();
      return;
    }
    const { user = "" } = JSON.parse(await textOf(request)) as { readonly user?: string };
    count(this.arrived, user);
    if (this.running >= this.slots && this.waiting.length >= this.queue) {
      count(this.refused, user);
      send(response, 503, { error: { message: "server busy, please try again" } });
      return;
    }
    if (this.running < this.slots) {
      this.running += 1;
    } else {
      // Who ends hands its place over.
      await new Promise<void>((start) => this.waiting.push(start));
    }
    await this.gate;
    await new Promise((resolve) => setTimeout(resolve, this.takes));
    const next = this.waiting.shift();
    if (next === undefined) {
      this.running -= 1;
    } else {
      next();
    }
    send(response, 200, COMPLETION);
  }
}

/** The least that OpenAI's clients, and the AI gateway's filter, read of an answer. */
const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "stand-in",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
} as const;

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function count(counts: Map<string, number>, user: string): void {
  counts.set(user, (counts.get(user) ?? 0) + 1);
}
