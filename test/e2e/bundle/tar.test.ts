/** Archives of ours, read by the tar of this machine, and its archives, read by ours. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tarEntries, tarHeader } from "../../../downloads/tar";
import { archiveOf } from "../../downloads/archive";

const folder = mkdtempSync(join(tmpdir(), "tar-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("archives of tar", () => {
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
    // It ends with an error, for the content is missing.
    const { stdout } = spawnSync("tar", ["-tvf", join(folder, "large.tar")], { encoding: "utf8" });
    expect(stdout).toContain(` ${size} `);
  });
});
