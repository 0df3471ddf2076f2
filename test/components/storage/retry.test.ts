import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HuggingFaceRepository } from "../../../components/storage/scripts/hugging-face.ts";
import { eachConcurrently, FinalError, secondsToWait, withRetries } from "../../../components/storage/scripts/retry.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");

describe("a server that wants to be asked later", () => {
  it.each([
    [{}, 0],
    [{ "retry-after": "17" }, 17],
    [{ "retry-after": "Fri, 27 Nov 2026 12:01:30 GMT" }, 90],
    [{ "retry-after": "Fri, 27 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, 0],
    [{ ratelimit: '"resolvers";r=0;t=246' }, 246],
    [{ ratelimit: '"api"; r=0; t=5' }, 5],
    [{ "retry-after": "7", ratelimit: '"api";r=0;t=246' }, 7],
    [{ "retry-after": "999999" }, 900],
  ])("%j is %d s", (headers, seconds) => {
    expect(secondsToWait(new Headers(headers), NOW)).toBe(seconds);
  });

  it("makes nothing wait for ever, whatever it says", () => {
    const text = fc.stringMatching(/^[ -~]{0,30}$/);
    fc.assert(
      fc.property(text, text, (after, limit) => {
        const seconds = secondsToWait(new Headers({ "retry-after": after, ratelimit: limit }), NOW);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(900);
      }),
    );
  });

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockReturnValue(undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("is asked again when its window is over, and not before", async () => {
    let asked = 0;
    const full = { status: 429, headers: { ratelimit: '"api";r=0;t=246' } };
    const repository = new HuggingFaceRepository("org/model", undefined, "https://hub.example", async () => {
      asked += 1;
      return asked === 1 ? new Response("", full) : Response.json({ sha: "c0ffee" });
    });
    const commit = repository.commit("main");
    await vi.advanceTimersByTimeAsync(245_000);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await commit, asked]).toEqual(["c0ffee", 2]);
  });
});

describe("withRetries", () => {
  it("repeats what may pass, and not what is final", async () => {
    vi.spyOn(console, "error").mockReturnValue(undefined);
    let calls = 0;
    const flaky = async () => {
      calls += 1;
      if (calls < 3) {
        throw new Error("busy");
      }
      return "done";
    };
    expect(await withRetries("work", flaky, { firstDelayMs: 1 })).toBe("done");
    calls = 0;
    const final = async () => {
      calls += 1;
      throw new FinalError("no");
    };
    await expect(withRetries("work", final, { firstDelayMs: 1 })).rejects.toThrow("no");
    expect(calls).toBe(1);
    vi.restoreAllMocks();
  });
});

describe("eachConcurrently", () => {
  it("works on every item, never on more than the limit at once", async () => {
    let running = 0;
    let most = 0;
    const seen: number[] = [];
    await eachConcurrently([1, 2, 3, 4, 5, 6], 2, async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      seen.push(item);
      running -= 1;
    });
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(most).toBe(2);
  });

  it("starts nothing more after a failure", async () => {
    const started: number[] = [];
    const work = async (item: number) => {
      started.push(item);
      throw new Error(`item ${item}`);
    };
    await expect(eachConcurrently([1, 2, 3], 1, work)).rejects.toThrow("item 1");
    expect(started).toEqual([1]);
  });
});
