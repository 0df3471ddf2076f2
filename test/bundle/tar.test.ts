import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { paddingOf, TAR_END, tarEntries, tarHeader } from "../../bundle/tar";

const folder = mkdtempSync(join(tmpdir(), "tar-"));
afterAll(() => rmSync(folder, { recursive: true }));

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9._-]{0,20})(\/[a-z0-9]{1,20}){0,2}$/);
const files = fc.uniqueArray(fc.record({ path: name, content: fc.uint8Array({ maxLength: 1500 }) }), {
  selector: ({ path }) => path,
  maxLength: 6,
});

function archiveOf(entries: readonly { readonly path: string; readonly content: Uint8Array }[]): Buffer {
  const parts = entries.flatMap(({ path, content }) => [
    tarHeader(path, content.length),
    content,
    paddingOf(content.length),
  ]);
  return Buffer.concat([...parts, TAR_END]);
}

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

  it("are those of the tar of this machine, both ways", () => {
    writeFileSync(join(folder, "a.tar"), archiveOf([{ path: "x/y.txt", content: Buffer.from("hello") }]));
    expect(execFileSync("tar", ["-xOf", join(folder, "a.tar"), "x/y.txt"], { encoding: "utf8" })).toBe("hello");
    writeFileSync(join(folder, "z.txt"), "other");
    execFileSync("tar", ["-cf", join(folder, "b.tar"), "-C", folder, "z.txt"]);
    expect(tarEntries(readFileSync(join(folder, "b.tar"))).map(({ content }) => content.toString())).toEqual(["other"]);
  });

  it("hold files beyond 8 GiB", () => {
    const size = 20 * 2 ** 30;
    writeFileSync(join(folder, "large.tar"), tarHeader("blobs/sha256/large", size));
    const listed = execFileSync("sh", ["-c", `tar -tvf ${join(folder, "large.tar")} 2>/dev/null || true`], {
      encoding: "utf8",
    });
    expect(listed).toContain(` ${size} `);
    expect(() => tarHeader("x".repeat(101), 1)).toThrow("too long");
  });
});
