import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyFolder } from "../../../scripts/mutants/copy-folder";
import { useFolder } from "../../cli/run";

const folder = useFolder();

describe("a copy of packages", () => {
  test("can be changed in place without changing the original, and keeps relative links", () => {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    mkdirSync(join(from, "package"), { recursive: true });
    writeFileSync(join(from, "package", "index.js"), "original");
    symlinkSync("../services/local", join(from, "local"));
    copyFolder(from, to);
    writeFileSync(join(to, "package", "index.js"), "changed");
    expect(readFileSync(join(from, "package", "index.js"), "utf8")).toBe("original");
    expect(readlinkSync(join(to, "local"))).toBe("../services/local");
  });
});
