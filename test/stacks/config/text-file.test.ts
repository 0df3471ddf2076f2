import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readTextFile } from "../../../stacks/config";

const KIB = 1024;
const folder = mkdtempSync(join(tmpdir(), "text-file-"));
const file = join(folder, "notes.txt");
afterAll(() => rmSync(folder, { recursive: true }));

it("reads a file of exactly the limit", () => {
  writeFileSync(file, "four");
  expect(readTextFile(file, 4)).toBe("four");
});

it.each([
  [KIB, "1 KiB"],
  [1023 * KIB, "1023 KiB"],
  [KIB * KIB, "1 MiB"],
  [5 * KIB * KIB, "5 MiB"],
])("refuses a file one byte above %i with the limit as %s", (limit, text) => {
  writeFileSync(file, Buffer.alloc(limit + 1));
  expect(() => readTextFile(file, limit)).toThrow(`is larger than ${text}`);
});
