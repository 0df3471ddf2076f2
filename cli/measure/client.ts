import { BrokenAnswer, readAnswer } from "../smoke/answer";
import type { HttpClient } from "../smoke/http";
import { messageIn } from "../smoke/json";
import { MeasureFailure } from "./failure";

/** Milliseconds from sending. */
export interface Sample {
  /** By `performance.now()`. */
  readonly sentAt: number;
  readonly ttftMs: number;
  /** Per further token; undefined for one token. */
  readonly tpotMs?: number;
  readonly e2eMs: number;
  /** The server's count; undefined without one. */
  readonly inputTokens?: number;
  readonly outputTokens: number;
  /** The server counted answer tokens; else each text event is one. */
  readonly counted: boolean;
  /** Tokens arrived as generated. */
  readonly streamed: boolean;
}

/** Request variants: unsupported options are dropped one by one. */
export interface RequestForm {
  readonly path: "/v1/chat/completions" | "/v1/completions";
  /** `ignore_eos`, `min_tokens`: exact lengths in vLLM and SGLang. */
  readonly exactLength: boolean;
  /** `stream_options`: enables token counts. */
  readonly usage: boolean;
}

/** From most informative to most compatible. */
export const FORMS: readonly RequestForm[] = (["/v1/chat/completions", "/v1/completions"] as const).flatMap((path) => [
  { path, exactLength: true, usage: true },
  { path, exactLength: false, usage: true },
  { path, exactLength: false, usage: false },
]);

/** Text events per requested token that indicate an endless answer. */
const MOST_CHUNKS_PER_TOKEN = 4;

/** Fewer pieces mean that a proxy buffered the stream. */
const FEWEST_PIECES = 3;

/** A refused request: its form or load may be wrong. */
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
   * @throws Refusal for a status other than 200.
   * @throws MeasureFailure for an empty, broken or endless answer.
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
      // A buffered answer is one piece with the server's number of tokens.
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
      // No temperature: at 0 small models repeat a word forever, which Ollama cuts off.
      ...(exactLength && { ignore_eos: true, min_tokens: maxTokens }),
      ...(usage && { stream_options: { include_usage: true } }),
    };
  }
}

/** Allowance for chat templates and reasoning. */
const TOKENS_AROUND = 4096;
/** Maximum per character or requested token: emoji take a few, speculative drafts one or two. */
const TOKENS_OF_ONE = 4;

/** @param most characters, or requested tokens. */
function assertBelievable(text: "answer" | "prompt", counted: number | undefined, most: number): void {
  const isPossible = (count: number) =>
    Number.isInteger(count) && count >= 1 && count <= TOKENS_OF_ONE * most + TOKENS_AROUND;
  if (counted !== undefined && !isPossible(counted)) {
    throw new MeasureFailure(
      `the server counts ${counted} tokens in the ${text}, which cannot be: times per token would be wrong by as much`,
      "usage in its answers, and any proxy that counts tokens there",
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
