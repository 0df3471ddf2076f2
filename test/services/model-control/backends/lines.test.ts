import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../../services/model-control/src/backends/lines";

async function read(chunks: Iterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(stream(chunks))) {
    lines.push(line);
  }
  return lines;
}

async function* stream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe("lines of a stream", () => {
  it("are the same however the stream is cut, also within a character", async () => {
    const text = "one\r\n\ntwo äöü 模型\n   \nthree";
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 }), async (sizes) => {
        const chunks: Uint8Array[] = [];
        for (let from = 0, i = 0; from < bytes.length; i++) {
          const size = sizes[i] ?? 1;
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        expect(await read(chunks)).toEqual(["one", "", "two äöü 模型", "", "three"]);
      }),
    );
  });

  it("end the stream when one of them does not end, after 64 KiB", async () => {
    let sent = 0;
    function* endless(): Generator<Uint8Array> {
      for (;;) {
        sent += 1024;
        yield Buffer.alloc(1024, "a");
      }
    }
    await expect(read(endless())).rejects.toThrow(/^a line is longer than 65536 bytes; it begins with a{300}$/);
    expect(sent).toBe(65 * 1024);
  });
});
