import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTextFile } from "../../../stacks/config";
import { useFolder } from "../../cli/run";

const KIB = 1024;
const file = join(useFolder(), "notes.txt");

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
