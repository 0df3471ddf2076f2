import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { prompt, tokenCount, wordsFor } from "../../../cli/measure/prompts";
import { randomFrom } from "../../../planner/speed/random";

const wordsOf = (words: number, shared: number, seed: number) =>
  prompt(words, shared, randomFrom(seed).next).split(" ");

describe("a prompt", () => {
  it("has as many words as asked for, of which the shared ones are the same in every prompt", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat({ max: 300 }), (words, shared) => {
        const [one, two] = [2, 3].map((seed) => wordsOf(words, shared, seed));
        expect([one?.length, two?.length]).toEqual([words, words]);
        expect(two?.slice(0, shared)).toEqual(one?.slice(0, shared));
      }),
    );
  });

  it("differs from any other after the shared words", () => {
    const [one, two] = [2, 3].map((seed) => wordsOf(60, 30, seed));
    expect(two?.slice(30)).not.toEqual(one?.slice(30));
  });
});

describe("words for a number of tokens", () => {
  it("are those that a server counts so, by two prompts that it counted", () => {
    const tokens = (words: number) => 12 + 1.5 * words;
    const count = tokenCount({ words: 10, tokens: tokens(10) }, { words: 110, tokens: tokens(110) });
    expect(count).toEqual({ fixed: 12, perWord: 1.5 });
    expect([10, 50, 1000].map((words) => wordsFor(tokens(words), count))).toEqual([10, 50, 1000]);
    expect(wordsFor(5, count)).toBe(1);
  });

  it("follow the longer prompt where both count the same, and no prompt has fewer tokens than none", () => {
    expect(tokenCount({ words: 10, tokens: 20 }, { words: 100, tokens: 20 })).toEqual({ fixed: 0, perWord: 0.2 });
    expect(tokenCount({ words: 10, tokens: 10 }, { words: 20, tokens: 40 })).toEqual({ fixed: 0, perWord: 3 });
  });
});
