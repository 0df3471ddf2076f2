/** Streamed answer of the OpenAI API, for chat or completion. */
import { z } from "zod";
import { parseJson } from "../../names/json-text";
import type { Line } from "./http";
import { messageIn } from "./json";

export interface StreamedAnswer {
  /** By `performance.now()`; undefined without a token. */
  readonly firstTokenAt?: number;
  readonly lastTokenAt?: number;
  /** Events with text. */
  readonly chunks: number;
  /** Network pieces with text. */
  readonly pieces: number;
  /** The server's count of answer tokens. */
  readonly counted?: number;
  /** The server's count of prompt tokens. */
  readonly prompted?: number;
  readonly finished: boolean;
  /** Text outside events. */
  readonly other: string;
}

/** An error event, or invalid JSON; with the server's message. */
export class BrokenAnswer extends Error {}

export interface ReadOptions {
  /** Receives pieces of the answer. */
  readonly onText?: (text: string) => void;
  /** More text events mean that the server ignores the limit. @default none */
  readonly mostChunks?: number;
}

/** Engines name reasoning differently; users wait for its tokens too. */
const DELTA = z.object({
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
});
const CHUNK = z.object({
  choices: z
    .array(z.object({ delta: DELTA.nullish(), text: z.string().nullish(), finish_reason: z.string().nullish() }))
    .optional(),
  usage: z.object({ completion_tokens: z.number(), prompt_tokens: z.number().optional() }).nullish(),
  error: z.unknown().optional(),
});

/** Characters kept outside events. */
const OTHER_CHARACTERS = 10_000;

/** Reads server-sent events. @throws BrokenAnswer, NoAnswer */
export async function readAnswer(
  lines: AsyncIterable<Line>,
  { onText, mostChunks = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<StreamedAnswer> {
  let firstTokenAt: number | undefined;
  let lastTokenAt: number | undefined;
  let chunks = 0;
  let counted: number | undefined;
  let prompted: number | undefined;
  let finished = false;
  let other = "";
  const pieces = new Set<number>();
  const end = (): Omit<StreamedAnswer, "finished"> => {
    return { firstTokenAt, lastTokenAt, chunks, pieces: pieces.size, counted, prompted, other };
  };
  for await (const { text: line, piece } of lines) {
    const data = /^data:\s?(.*)$/.exec(line)?.[1];
    if (data === "[DONE]") {
      return { ...end(), finished: true };
    }
    if (data === undefined) {
      // Blank lines separate events; comments (":") keep the connection open.
      if (line !== "" && !/^(:|event:|id:|retry:)/.test(line) && other.length < OTHER_CHARACTERS) {
        other += other === "" ? line : `\n${line}`;
      }
      continue;
    }
    const chunk = CHUNK.safeParse(parseJson(data));
    if (!chunk.success || chunk.data.error != null) {
      throw new BrokenAnswer(messageIn(data));
    }
    const choice = chunk.data.choices?.[0];
    if (choice?.delta?.content || choice?.delta?.reasoning || choice?.delta?.reasoning_content || choice?.text) {
      lastTokenAt = performance.now();
      firstTokenAt ??= lastTokenAt;
      chunks += 1;
      onText?.(choice.delta?.content ?? choice.text ?? "");
      pieces.add(piece);
    }
    if (chunks > mostChunks) {
      throw new BrokenAnswer(`more than ${mostChunks} pieces of text: the server does not stop where it was asked to`);
    }
    counted = chunk.data.usage?.completion_tokens ?? counted;
    prompted = chunk.data.usage?.prompt_tokens ?? prompted;
    if (choice?.finish_reason) {
      finished = true;
    }
  }
  return { ...end(), finished };
}
