import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zipEntries } from "../../downloads/unzip";
import { zipOf } from "./zip-of";

const name = fc.stringMatching(/^[a-zé0-9]([a-z0-9._-]{0,20})(\/[a-z0-9]{1,20}){0,2}$/);
const files = fc.uniqueArray(fc.record({ path: name, content: fc.uint8Array({ maxLength: 3000 }) }), {
  selector: ({ path }) => path,
  maxLength: 6,
});
const read = (archive: Buffer) =>
  [...zipEntries(archive)].map(({ path, content }) => ({ path, content: [...content] }));

describe("a zip archive", () => {
  it("gives back every file that went in, whatever comment is behind it", () => {
    fc.assert(
      fc.property(files, fc.string({ maxLength: 40 }), (entries, comment) => {
        const expected = entries.map(({ path, content }) => ({ path, content: [...content] }));
        expect(read(zipOf(entries, { comment }))).toEqual(expected);
      }),
    );
  });

  it("gives back files that are stored as they are, and no folders", () => {
    const entries = [
      { path: "a/", content: Buffer.alloc(0) },
      { path: "a/b", content: Buffer.from("text") },
    ];
    expect(read(zipOf(entries, { method: 0 }))).toEqual([{ path: "a/b", content: [...Buffer.from("text")] }]);
  });

  it("is refused where it is cut off, at any byte", () => {
    const archive = zipOf([{ path: "a", content: Buffer.from("text") }]);
    fc.assert(
      fc.property(fc.nat(archive.length - 1), (end) => {
        expect(() => read(archive.subarray(0, end))).toThrow();
      }),
    );
  });

  it("is refused where a file is larger than it says, before that fills the memory", () => {
    const packed = deflateRawSync(Buffer.alloc(1_000_000));
    expect(() => read(zipOf([{ path: "a", content: Buffer.alloc(10) }], { packed }))).toThrow();
  });

  it("is refused where its files are larger than Go allows together, before any is unpacked", () => {
    const entries = ["a", "b"].map((path) => ({ path, content: Buffer.from("text") }));
    expect(() => read(zipOf(entries, { size: 251 * 2 ** 20 }))).toThrow("states 502 MiB of files");
    expect(() => read(zipOf(entries, { size: 250 * 2 ** 20 }))).toThrow("another size");
  });

  it("is refused where a file is smaller than it says", () => {
    const packed = deflateRawSync(Buffer.alloc(5));
    expect(() => read(zipOf([{ path: "a", content: Buffer.alloc(10) }], { packed }))).toThrow("another size");
  });

  it("is refused where it is packed in another way, or is a page", () => {
    expect(() => read(zipOf([{ path: "a", content: Buffer.from("text") }], { method: 12 }))).toThrow("method 12");
    expect(() => read(Buffer.from("<html>Sign in to the network</html>"))).toThrow("no zip archive");
  });
});
