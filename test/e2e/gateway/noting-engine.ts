/** An engine with OpenAI's API behind the real gateway: it notes what reaches it, and answers with token counts. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from "node:http";
import { text } from "node:stream/consumers";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface NotingEngine {
  readonly seen: Seen[];
  readonly listener: RequestListener;
}

/** What every answer says that it took. */
export const USAGE = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } as const;

const CHUNK = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" } as const;

export function notingEngine(): NotingEngine {
  const seen: Seen[] = [];
  return {
    seen,
    listener: (request, response) =>
      void text(request).then((body) => {
        seen.push(seenOf(request, body));
        const asked = body === "" ? {} : (JSON.parse(body) as { readonly stream?: boolean });
        if (asked.stream === true) {
          response.setHeader("content-type", "text/event-stream");
          const delta = { index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null };
          response.write(`data: ${JSON.stringify({ ...CHUNK, choices: [delta] })}\n\n`);
          response.end(`data: ${JSON.stringify({ ...CHUNK, choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`);
          return;
        }
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answerTo(request.url ?? "")));
      }),
  };
}

function seenOf({ method = "", url = "", headers }: IncomingMessage, body: string): Seen {
  return { method, path: url, headers, body };
}

function answerTo(path: string): object {
  if (path.endsWith("/embeddings")) {
    const data = [{ object: "embedding", index: 0, embedding: [0.5] }];
    return { object: "list", model: "m", data, usage: { prompt_tokens: 7, total_tokens: 7 } };
  }
  if (path.endsWith("/rerank")) {
    return { id: "1", results: [{ index: 0, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } };
  }
  const message = { role: "assistant", content: "Hi" };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: "1", object: "chat.completion", created: 1, model: "m", choices, usage: USAGE };
}
