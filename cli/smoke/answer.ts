/** A streamed answer of the OpenAI API, to a chat or a completion. */
import { z } from "zod";
import { parseJson } from "../../names/json-text";
import type { Line } from "./http";
import { messageIn } from "./json";

export interface StreamedAnswer {
  /** By `performance.now()`; undefined where no token came. */
  readonly firstTokenAt?: number;
  readonly lastTokenAt?: number;
  /** Events that hold text. */
  readonly chunks: number;
  /** Pieces, as they came over the network, that hold text. */
  readonly pieces: number;
  /** Tokens of the answer by the server's own count. */
  readonly counted?: number;
  /** Tokens of the prompt by the server's own count. */
  readonly prompted?: number;
  readonly finished: boolean;
  /** What is no part of an event stream. */
  readonly other: string;
}

/** An event that is an error, or no JSON: the message is the server's own. */
export class BrokenAnswer extends Error {}

export interface ReadOptions {
  /** Told the answer piece by piece, as it comes. */
  readonly onText?: (text: string) => void;
  /** Events with text after which a server does not keep to the limit of the request. @default none */
  readonly mostChunks?: number;
}

/** Engines name what a reasoning model thinks in different ways; both are tokens that a user waits for. */
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

/** Characters of what is no event that are kept. */
const OTHER_CHARACTERS = 10_000;

/** Reads server-sent events until the last one. @throws BrokenAnswer, NoAnswer */
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
      // Blank lines part events; a comment line (":") keeps the connection open.
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
