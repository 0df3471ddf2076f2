import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { generatedFiles, main } from "../../cli/schema";
import { repositoryRoot } from "../../names/repository-root";

describe("npm run schema", () => {
  it("has nothing to write here: else run it", () => {
    expect(main(["--check"])).toBe(0);
  });

  it("writes files, and finds the one that somebody edited", () => {
    const root = mkdtempSync(join(tmpdir(), "schema-"));
    for (const file of generatedFiles) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), "");
    }
    expect(main(["--check"], root)).toBe(1);
    expect(main([], root)).toBe(0);
    expect(main(["--check"], root)).toBe(0);
    for (const file of generatedFiles) {
      const text = readFileSync(join(root, file), "utf8");
      expect(text).toBe(readFileSync(join(repositoryRoot(), file), "utf8"));
      writeFileSync(join(root, file), "edited\n");
      expect(main(["--check"], root)).toBe(1);
      writeFileSync(join(root, file), text);
    }
  });
});
