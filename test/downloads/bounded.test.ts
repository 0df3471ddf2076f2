import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { bounded, contentOf } from "../../downloads/bounded";

async function* chunks(count: number, milliseconds = 0): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent += 1) {
    await pause(milliseconds);
    yield Buffer.from("ten bytes.");
  }
}

describe("a bounded source", () => {
  it("gives what it may to the last byte", async () => {
    expect(await contentOf(bounded("it", () => chunks(3), { bytes: 30, seconds: 5 }))).toHaveLength(30);
  });

  it("ends in an error with the first chunk too many, however many would follow", async () => {
    const endless = bounded("it", () => chunks(Number.POSITIVE_INFINITY), { bytes: 29, seconds: 5 });
    await expect(contentOf(endless)).rejects.toThrow("it: more than 29 bytes came");
  });

  it("ends in an error where a server sends without end, a little at a time", async () => {
    const slow = bounded("it", () => chunks(Number.POSITIVE_INFINITY, 20), { bytes: 1e9, seconds: 0.1 });
    await expect(contentOf(slow)).rejects.toThrow("it: not there after 0.1 s");
  });
});
