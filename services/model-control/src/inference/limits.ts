import type { GenerationEvent } from "../backends/generation";

/** Excess tokens, counted by events, before an engine counts as ignoring its limit. */
const TOKEN_SLACK = 16;

export interface AnswerLimits {
  readonly maxTokens: number;
  readonly seconds: number;
  /** Maximum silence after the answer starts. */
  readonly idleSeconds: number;
  readonly bytes: number;
}

export type Cut = "length" | "size_limit" | "time_limit" | "idle";

export type AnswerEnd =
  | { readonly by: "engine"; readonly event: Extract<GenerationEvent, { type: "end" }> }
  | { readonly by: "limit"; readonly cut: Cut };

/**
 * Reads an engine's answer within limits, also if the engine stalls or never ends.
 *
 * @param start begins the answer; its signal aborts at a limit, or with `signal`.
 * @param onText awaited per piece of text; its errors stop reading.
 * @throws the reason of `signal`, and errors of the stream or `onText`.
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
      // A flooding engine starves the timers.
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

/** Longest prefix within the given UTF-8 bytes, in whole characters. */
export function beginning(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) {
    return text;
  }
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes)));
  return text.slice(0, read);
}
