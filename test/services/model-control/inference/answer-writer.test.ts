import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AnswerWriter, ItemLost } from "../../../../services/model-control/src/inference/answer-writer";
import { type Item, WAITING } from "../../../../services/model-control/src/inference/record";
import type { Written } from "../../../../services/model-control/src/inference/store";

const CLAIMED: Item = { ...WAITING, state: "running", attempts: 1 };

interface Write {
  readonly fence: { readonly current: number; readonly next: number };
  readonly item: Item;
  readonly answer?: string;
}

/** Notes what is written, and answers what it is told to. */
class Store {
  readonly writes: Write[] = [];
  answer: Written | Error = "written";
  /** While it is set, no write is answered before it is. */
  hangs?: Promise<Written>;

  async write(_: string, _index: number, fence: Write["fence"], item: Item, answer?: string): Promise<Written> {
    if (this.answer instanceof Error) {
      throw this.answer;
    }
    this.writes.push({ fence, item, answer });
    return this.hangs ?? this.answer;
  }
}

let store: Store;
let writer: AnswerWriter;
beforeEach(() => {
  vi.useFakeTimers();
  store = new Store();
  writer = new AnswerWriter(store, "inference-1", 0, 4, CLAIMED);
});
afterEach(() => {
  writer.close();
  vi.useRealTimers();
});

describe("an answer that is written", () => {
  it("takes the item with a fence of its own, and ends it with one that nobody knows", async () => {
    await writer.claim();
    await writer.add("one");
    await writer.add(" two");
    await writer.end({ ...writer.item, state: "completed" });
    const fences = store.writes.map(({ fence }) => fence);
    const [{ next: mine = 0 } = {}, , { next: last = 0 } = {}] = fences;
    expect(fences).toEqual([
      { current: 4, next: mine },
      { current: mine, next: mine },
      { current: mine, next: last },
    ]);
    expect(new Set([4, mine, last]).size).toBe(3);
    expect(store.writes.map(({ answer }) => answer)).toEqual([undefined, "one", "one two"]);
    expect(writer.fence).toBe(last);
  });

  it("says that it has begun before the first piece is done with", async () => {
    await writer.claim();
    expect(writer.hasBegun).toBe(false);
    await writer.add("a");
    expect(store.writes.at(-1)).toMatchObject({ item: { begun: true, firstTokenAt: Date.now() }, answer: "a" });
  });

  it("is written once a second while it grows; while it does not, there is a sign of life as often", async () => {
    await writer.claim();
    await writer.add("a");
    for (const piece of "bcd") {
      await writer.add(piece);
    }
    expect(store.writes).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.writes.at(-1)?.answer).toBe("abcd");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(store.writes.slice(3)).toEqual(
      Array(5).fill({ fence: { current: writer.fence, next: writer.fence }, item: writer.item, answer: undefined }),
    );
  });

  it("gives signs of life from the moment that it is asked for: an engine may read a prompt for minutes", async () => {
    await writer.claim();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(store.writes.map(({ item, answer }) => [item.begun, answer])).toEqual(Array(4).fill([false, undefined]));
    await writer.end(writer.item);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(store.writes).toHaveLength(5);
  });

  it("waits with one write, and not with one for each second, while the server does not answer", async () => {
    await writer.claim();
    await writer.add("a");
    let answer: (written: Written) => void = () => undefined;
    store.hangs = new Promise((resolve) => {
      answer = resolve;
    });
    for (let second = 0; second < 60; second++) {
      await writer.add("b");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(store.writes).toHaveLength(3);
    store.hangs = undefined;
    answer("written");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.writes).toHaveLength(4);
    expect(store.writes.at(-1)?.answer).toBe(`a${"b".repeat(60)}`);
  });

  it("that cannot be written for a while is written afterwards", async () => {
    await writer.claim();
    await writer.add("a");
    store.answer = new Error("OOM command not allowed");
    await writer.add("b");
    await vi.advanceTimersByTimeAsync(3_000);
    store.answer = "written";
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.writes.at(-1)?.answer).toBe("ab");
  });

  it("has an end that is tried for a minute, and then given up with the reason", async () => {
    await writer.claim();
    await writer.add("whole");
    const full = new Error("OOM command not allowed");
    store.answer = full;
    const end = writer.end({ ...writer.item, state: "completed" });
    await vi.advanceTimersByTimeAsync(20_000);
    store.answer = "written";
    await vi.advanceTimersByTimeAsync(1_000);
    await end;
    expect(store.writes.at(-1)).toMatchObject({
      fence: { next: writer.fence },
      item: { state: "completed" },
      answer: "whole",
    });

    store.answer = full;
    const inVain = writer.end(writer.item);
    const refused = expect(inVain).rejects.toBe(full);
    await vi.advanceTimersByTimeAsync(61_000);
    await refused;
  });

  it.each(["taken", "gone"] as const)("is let go of at once when it is %s", async (answer) => {
    await writer.claim();
    await writer.add("a");
    const told: ItemLost[] = [];
    writer.onLost((reason) => told.push(reason));
    store.answer = answer;
    await writer.add("b");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([expect.any(ItemLost)]);
    await expect(writer.add("c")).rejects.toBeInstanceOf(ItemLost);
    const before = store.writes.length;
    await expect(writer.end(writer.item)).rejects.toBeInstanceOf(ItemLost);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(store.writes).toHaveLength(before);
  });

  it("is not begun at all when the item is somebody else's", async () => {
    store.answer = "taken";
    await expect(writer.claim()).rejects.toBeInstanceOf(ItemLost);
    expect(writer.fence).toBe(4);
  });
});
