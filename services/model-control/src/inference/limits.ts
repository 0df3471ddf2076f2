import type { GenerationEvent } from "../backends/generation";

/** Tokens more than an engine was asked for, by its events, before it counts as one that does not keep to it. */
const TOKEN_SLACK = 16;

export interface AnswerLimits {
  readonly maxTokens: number;
  readonly seconds: number;
  /** Without a sign of life, once the answer has begun. */
  readonly idleSeconds: number;
  readonly bytes: number;
}

/** An answer was cut off. */
export type Cut = "length" | "size_limit" | "time_limit" | "idle";

export type AnswerEnd =
  | { readonly by: "engine"; readonly event: Extract<GenerationEvent, { type: "end" }> }
  | { readonly by: "limit"; readonly cut: Cut };

/**
 * Reads an engine's answer within limits, whatever the engine does: one that is silent, or that goes on for ever, is cut off.
 *
 * @param start begins the answer; its signal aborts when a limit is reached, or with `signal`.
 * @param onText awaited for each piece of text: what it throws ends the reading.
 * @throws the reason of `signal`, and what the engine's stream or `onText` throws.
 */
export async function readWithin(
  limits: AnswerLimits,
  start: (signal: AbortSignal) => AsyncIterable<GenerationEvent>,
  onText: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  const limit = new AbortController();
  let cut: Cut | undefined;
  const cutOff = (reason: Cut) => {
    cut ??= reason;
    limit.abort(new Error(reason));
  };
  const whole = setTimeout(cutOff, limits.seconds * 1000, "time_limit");
  let silence: NodeJS.Timeout | undefined;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(cutOff, limits.idleSeconds * 1000, "idle");
  };
  let events = 0;
  let bytes = 0;
  try {
    signal.throwIfAborted();
    for await (const event of start(AbortSignal.any([signal, limit.signal]))) {
      if (event.type === "end") {
        return { by: "engine", event };
      }
      heard();
      events += 1;
      const text = beginning(event.text, limits.bytes - bytes);
      bytes += Buffer.byteLength(text);
      if (text !== "") {
        await onText(text);
      }
      if (text !== event.text) {
        cutOff("size_limit");
      } else if (events > limits.maxTokens + TOKEN_SLACK) {
        cutOff("length");
      }
      // An engine that floods leaves no time for a timer.
      if (cut !== undefined) {
        return { by: "limit", cut };
      }
      signal.throwIfAborted();
    }
    throw new Error("a stream without an end");
  } catch (error) {
    if (cut !== undefined && !signal.aborted) {
      return { by: "limit", cut };
    }
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(whole);
    clearTimeout(silence);
  }
}

/** As much of a text as fits into so many bytes of UTF-8, in whole characters. */
export function beginning(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) {
    return text;
  }
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes)));
  return text.slice(0, read);
}
