import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tarEntries, tarHeader } from "../../downloads/tar";
import { archiveOf } from "./archive";

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9._-]{0,20})(\/[a-z0-9]{1,20}){0,2}$/);
const files = fc.uniqueArray(fc.record({ path: name, content: fc.uint8Array({ maxLength: 1500 }) }), {
  selector: ({ path }) => path,
  maxLength: 6,
});

describe("archives of tar", () => {
  it("give back every file that went in", () => {
    fc.assert(
      fc.property(files, (entries) => {
        const read = tarEntries(archiveOf(entries)).map(({ path, content }) => ({ path, content: [...content] }));
        expect(read).toEqual(entries.map(({ path, content }) => ({ path, content: [...content] })));
      }),
    );
  });

  it("leave out what is cut off, wherever that is", () => {
    fc.assert(
      fc.property(files, fc.nat(8000), (entries, end) => {
        const whole = archiveOf(entries);
        const all = tarEntries(whole).map(({ path }) => path);
        const some = tarEntries(whole.subarray(0, end)).map(({ path }) => path);
        expect(all.slice(0, some.length)).toEqual(some);
      }),
    );
  });

  it("hold no path over 100 characters", () => {
    expect(() => tarHeader("x".repeat(101), 1)).toThrow("too long");
  });
});
