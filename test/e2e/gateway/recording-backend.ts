import type { IncomingHttpHeaders, RequestListener } from "node:http";

/** What a backend was asked. */
export interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A model's server that answers chats at once, and remembers what it was asked. */
export class RecordingBackend {
  readonly asked: Asked[] = [];

  /** @param model the name that it answers by */
  constructor(private readonly model: string) {}

  readonly listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      this.asked.push({
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      });
      const message = { role: "assistant", content: `Hello from ${this.model}.` };
      response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 0,
          model: this.model,
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
        }),
      );
    });
  };
}
