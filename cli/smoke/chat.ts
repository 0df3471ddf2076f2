import { BrokenAnswer, readAnswer } from "./answer";
import { rounded } from "./figures";
import type { HttpClient } from "./http";
import { messageIn, refused } from "./json";
import { StepFailure } from "./result";

export interface ChatRequest {
  /** Where the endpoint takes it. */
  readonly path: string;
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Told the answer piece by piece, as it comes. */
  readonly onText?: (text: string) => void;
}

/** How long one streamed answer took. */
export interface ChatTiming {
  /** Until the first token, thinking included. */
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly tokens: number;
  /** Of the time after the first token where tokens came one by one, of the whole time where they did not. */
  readonly tokensPerSecond: number;
  /** Whether the tokens came one by one; if not, something on the way keeps the answer until it is whole. */
  readonly streamed: boolean;
}

/** An answer that was kept on the way comes in one piece, or in two where the network parts it. */
const FEWEST_PIECES = 3;

const LOOK_AT = "the engine's log; the gateway's, when it is one";

/**
 * Asks for one streamed answer through the OpenAI API, and times it.
 *
 * @throws StepFailure when it is refused, ends early or holds no token.
 * @throws NoAnswer
 */
export async function chat(client: HttpClient, request: ChatRequest, signal: AbortSignal): Promise<ChatTiming> {
  const begun = performance.now();
  const { status, lines } = await client.stream("POST", request.path, signal, {
    model: request.model,
    messages: [{ role: "user", content: request.prompt }],
    max_tokens: request.maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  });
  if (status !== 200) {
    const lookAt = status === 404 ? "--model and --served-model: GET /v1/models of --url lists the names" : LOOK_AT;
    const text: string[] = [];
    for await (const line of lines) {
      text.push(line.text);
    }
    throw refused({ status, text: text.join("\n") }, `${request.model} answers with status 200`, lookAt);
  }
  const { firstTokenAt, chunks, pieces, counted, finished, other } = await readAnswer(lines, request).catch(
    (error: unknown) => {
      throw error instanceof BrokenAnswer ? broken(request.model, error.message) : error;
    },
  );
  const totalMs = performance.now() - begun;
  if (firstTokenAt === undefined) {
    throw broken(request.model, `no token${other === "" ? "" : `: ${messageIn(other)}`}`);
  }
  if (!finished) {
    throw broken(request.model, `an answer that was cut off after ${chunks} tokens`);
  }
  const firstTokenMs = firstTokenAt - begun;
  // Some servers leave usage out: then each chunk counts as a token, as it nearly always is.
  const tokens = counted ?? chunks;
  const streamed = pieces >= Math.min(chunks, FEWEST_PIECES);
  const tokensPerSecond =
    streamed && tokens > 1 ? perSecond(tokens - 1, totalMs - firstTokenMs) : perSecond(tokens, totalMs);
  return {
    firstTokenMs: rounded(firstTokenMs, 1),
    totalMs: rounded(totalMs, 1),
    tokens,
    tokensPerSecond: rounded(tokensPerSecond, 1),
    streamed,
  };
}

function perSecond(count: number, milliseconds: number): number {
  return (1000 * count) / Math.max(milliseconds, 1e-3);
}

function broken(model: string, got: string): StepFailure {
  return new StepFailure({ expected: `a streamed answer of ${model}, whole and not empty`, got, lookAt: LOOK_AT });
}
