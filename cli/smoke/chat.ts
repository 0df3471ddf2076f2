import { BrokenAnswer, readAnswer } from "./answer";
import { rounded } from "./figures";
import type { HttpClient } from "./http";
import { messageIn, refused } from "./json";
import { StepFailure } from "./result";

export interface ChatRequest {
  /** Of the endpoint. */
  readonly path: string;
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  /** Receives pieces of the answer. */
  readonly onText?: (text: string) => void;
}

/** Of one streamed answer. */
export interface ChatTiming {
  /** Including reasoning. */
  readonly firstTokenMs: number;
  readonly totalMs: number;
  readonly tokens: number;
  /** After the first token if streamed, else over the whole time. */
  readonly tokensPerSecond: number;
  /** False: something buffers the whole answer. */
  readonly streamed: boolean;
}

/** Buffered answers come in one piece, or two if the network splits them. */
const FEWEST_PIECES = 3;

const LOOK_AT = "the engine's log; the gateway's, when it is one";

/**
 * Times one streamed answer of the OpenAI API.
 *
 * @throws StepFailure when refused, ended early or without a token.
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
  // Without usage each chunk counts as a token, as it nearly always is.
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
