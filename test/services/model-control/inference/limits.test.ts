import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../../services/model-control/src/backends/generation";
import { beginning, readWithin } from "../../../../services/model-control/src/inference/limits";

const WIDE = { maxTokens: 1000, seconds: 60, idleSeconds: 60, bytes: 100_000 };
const never = new AbortController().signal;

async function* events(...texts: readonly string[]): AsyncGenerator<GenerationEvent> {
  for (const text of texts) {
    yield { type: "text", text };
  }
  yield { type: "end", finishReason: "stop", completionTokens: texts.length };
}

async function read(limits: Partial<typeof WIDE>, start: (signal: AbortSignal) => AsyncIterable<GenerationEvent>) {
  let text = "";
  const end = await readWithin(
    { ...WIDE, ...limits },
    start,
    async (piece) => {
      text += piece;
    },
    never,
  );
  return { text, end };
}

/** Says nothing more until it is told to stop. */
async function* silent(signal: AbortSignal): AsyncGenerator<GenerationEvent> {
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

describe("an answer within limits", () => {
  it("is the engine's own, whole, with its own end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 50 }), async (texts) => {
        const { text, end } = await read({}, () => events(...texts));
        expect(text).toBe(texts.join(""));
        expect(end).toEqual({ by: "engine", event: expect.objectContaining({ completionTokens: texts.length }) });
      }),
    );
  });

  it("is cut off at its size, in whole characters, and is the beginning of what the engine said", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 0, max: 60 }), async (pieces, bytes) => {
        const whole = pieces.join("");
        const { text, end } = await read({ bytes }, () => events(...pieces));
        expect(whole.startsWith(text)).toBe(true);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
        expect(end.by).toBe(Buffer.byteLength(whole) <= bytes ? "engine" : "limit");
        // No more than one character fewer than fit: the longest has four bytes.
        expect(Buffer.byteLength(text)).toBeGreaterThan(Math.min(bytes, Buffer.byteLength(whole)) - 4);
      }),
    );
  });

  it("is cut off when the engine writes on beyond the tokens that it was asked for, with text or without", async () => {
    for (const text of ["a", ""]) {
      let written = 0;
      const { end } = await read({ maxTokens: 10 }, async function* () {
        for (;;) {
          written += 1;
          yield { type: "text", text };
        }
      });
      expect(end).toEqual({ by: "limit", cut: "length" });
      expect(written).toBeLessThan(40);
    }
  });

  it("is cut off when its time is over, and when the engine falls silent in its midst", async () => {
    expect((await read({ seconds: 0.05 }, silent)).end).toEqual({ by: "limit", cut: "time_limit" });
    const pausing = async function* (signal: AbortSignal) {
      yield { type: "text", text: "a" } as const;
      yield* silent(signal);
    };
    expect(await read({ idleSeconds: 0.05 }, pausing)).toEqual({ text: "a", end: { by: "limit", cut: "idle" } });
    // Before the first token silence is no reason: a long prompt takes its time.
    expect((await read({ idleSeconds: 0.01, seconds: 0.1 }, silent)).end).toEqual({ by: "limit", cut: "time_limit" });
  });

  it("ends with the caller's reason, and with what the engine or the writer throws", async () => {
    const reason = new Error("cancelled");
    const stop = new AbortController();
    const reading = readWithin(WIDE, silent, async () => undefined, stop.signal);
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    const lost = new Error("lost");
    const writing = readWithin(
      WIDE,
      () => events("a"),
      () => Promise.reject(lost),
      never,
    );
    await expect(writing).rejects.toBe(lost);
    const endless = async function* (): AsyncGenerator<GenerationEvent> {};
    await expect(read({}, endless)).rejects.toThrow("a stream without an end");
  });
});

it("the beginning of a text is whole where it fits, and nothing where nothing may be", () => {
  expect(beginning("héllo", 6)).toBe("héllo");
  expect(beginning("héllo", 2)).toBe("h");
  expect(beginning("👩‍👩‍👧", 4)).toBe("👩");
  expect(beginning("a", 0)).toBe("");
  expect(beginning("a", -5)).toBe("");
});
