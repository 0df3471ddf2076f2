/** One streamed request, timed. */
import { BrokenAnswer, readAnswer } from "../smoke/answer";
import type { HttpClient } from "../smoke/http";
import { messageIn } from "../smoke/json";
import { MeasureFailure } from "./failure";

/** What one request took, milliseconds from when it was sent. */
export interface Sample {
  /** By `performance.now()`. */
  readonly sentAt: number;
  readonly ttftMs: number;
  /** Time for each token after the first; undefined for an answer of one. */
  readonly tpotMs?: number;
  readonly e2eMs: number;
  /** By the server's count; undefined where it does not count. */
  readonly inputTokens?: number;
  readonly outputTokens: number;
  /** Whether the server counted the answer's tokens; else each event with text counts as one. */
  readonly counted: boolean;
  /** Whether tokens came as they were made. */
  readonly streamed: boolean;
}

/** How requests are made: what a server refuses is left out, one thing after another. */
export interface RequestForm {
  readonly path: "/v1/chat/completions" | "/v1/completions";
  /** `ignore_eos`, `min_tokens`: answers as long as asked, of vLLM and SGLang; others know nothing of them. */
  readonly exactLength: boolean;
  /** `stream_options`: without it nobody counts tokens. */
  readonly usage: boolean;
}

/** From what tells most to what every server takes. */
export const FORMS: readonly RequestForm[] = (["/v1/chat/completions", "/v1/completions"] as const).flatMap((path) => [
  { path, exactLength: true, usage: true },
  { path, exactLength: false, usage: true },
  { path, exactLength: false, usage: false },
]);

/** Events with text for each token asked for, above which a server does not stop by itself. */
const MOST_CHUNKS_PER_TOKEN = 4;

/** A streamed answer in fewer pieces was kept on the way until it was whole. */
const FEWEST_PIECES = 3;

/** A request was refused: the form may be, or the load. */
export class Refusal extends MeasureFailure {
  constructor(
    readonly status: number,
    words: string,
  ) {
    super(`status ${status}${words === "" ? "" : `: ${words}`}`, lookAtOf(status));
  }
}

export class Client {
  constructor(
    private readonly http: HttpClient,
    readonly model: string,
    readonly form: RequestForm,
  ) {}

  /**
   * @throws Refusal for a status that is no 200.
   * @throws MeasureFailure for an answer that is empty, broken off or does not end.
   * @throws NoAnswer
   */
  async ask(prompt: string, maxTokens: number, signal: AbortSignal): Promise<Sample> {
    const { path } = this.form;
    const { status, sentAt, lines } = await this.http.stream("POST", path, signal, this.body(prompt, maxTokens));
    if (status !== 200) {
      let text = "";
      for await (const line of lines) {
        text += `${line.text}\n`;
        if (text.length > 10_000) {
          break;
        }
      }
      throw new Refusal(status, messageIn(text.trim()));
    }
    const answer = await readAnswer(lines, { mostChunks: MOST_CHUNKS_PER_TOKEN * maxTokens }).catch(
      (error: unknown) => {
        throw error instanceof BrokenAnswer ? new MeasureFailure(`the answer is broken: ${error.message}`, LOG) : error;
      },
    );
    const { firstTokenAt, lastTokenAt, chunks, counted, prompted, pieces, finished, other } = answer;
    if (firstTokenAt === undefined || lastTokenAt === undefined) {
      const words = other === "" ? "" : `: ${messageIn(other)}`;
      throw new MeasureFailure(`the answer holds no token${words}`, LOG);
    }
    if (!finished) {
      throw new MeasureFailure(`the answer was cut off after ${chunks} pieces of text`, LOG);
    }
    assertBelievable("answer", counted, maxTokens);
    assertBelievable("prompt", prompted, prompt.length);
    const tokens = counted ?? chunks;
    return {
      sentAt,
      ttftMs: firstTokenAt - sentAt,
      ...(tokens > 1 && { tpotMs: (lastTokenAt - firstTokenAt) / (tokens - 1) }),
      e2eMs: lastTokenAt - sentAt,
      ...(prompted !== undefined && { inputTokens: prompted }),
      outputTokens: tokens,
      counted: counted !== undefined,
      // A whole answer as one event is one piece too, and has as many tokens as the server counts.
      streamed: pieces >= Math.min(tokens, FEWEST_PIECES),
    };
  }

  private body(prompt: string, maxTokens: number): Readonly<Record<string, unknown>> {
    const { path, exactLength, usage } = this.form;
    return {
      model: this.model,
      ...(path === "/v1/completions" ? { prompt } : { messages: [{ role: "user", content: prompt }] }),
      max_tokens: maxTokens,
      stream: true,
      // No temperature: at 0 small models say one word for ever, which Ollama cuts off.
      ...(exactLength && { ignore_eos: true, min_tokens: maxTokens }),
      ...(usage && { stream_options: { include_usage: true } }),
    };
  }
}

/** Beside a text: templates of chats, and what a reasoning model thinks. */
const TOKENS_AROUND = 4096;
/** Of one character or of one token asked for, at most: emoji are a few, drafts of speculative decoding one or two. */
const TOKENS_OF_ONE = 4;

/** @param most characters, or tokens asked for, of the text. */
function assertBelievable(text: "answer" | "prompt", counted: number | undefined, most: number): void {
  const isPossible = (count: number) =>
    Number.isInteger(count) && count >= 1 && count <= TOKENS_OF_ONE * most + TOKENS_AROUND;
  if (counted !== undefined && !isPossible(counted)) {
    throw new MeasureFailure(
      `the server counts ${counted} tokens in the ${text}, which cannot be: times per token would be wrong by as much`,
      "usage in its answers, and whoever counts there",
    );
  }
}

const LOG = "the engine's log; the gateway's, when there is one between";

function lookAtOf(status: number): string {
  if (status === 401 || status === 403) {
    return "--api-key-env: the variable that holds the key, and what the key may do";
  }
  if (status === 404) {
    return "--model: GET /v1/models of --url lists the names";
  }
  if (status === 429) {
    return "the rate limit of the key or gateway: ask the engine itself, or give a lower --concurrency";
  }
  return status === 400 || status === 422 ? "the value that the message names; --traffic for shorter requests" : LOG;
}
