import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { CheckoutError, requireUnixLines, shippedText } from "../../names/shipped-file";

it("a script of a checkout with Windows' line endings is refused, by its path and with the way back", () => {
  expect(requireUnixLines("a.sh", "set -e\nexit 0\n")).toBe("set -e\nexit 0\n");
  for (const text of ["set -e\r\nexit 0\n", "set -e\rexit 0"]) {
    expect(() => requireUnixLines("a.sh", text)).toThrow(CheckoutError);
    expect(() => requireUnixLines("a.sh", text)).toThrow(/^a\.sh has .*core\.autocrlf false/);
  }
  expect(shippedText("components/gateway/scripts/caller.lua")).not.toBe("");
});

it("what is shipped is read by it alone, and Git writes line feeds whatever its settings", () => {
  const sources = readdirSync(join(repositoryRoot(), "components"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.includes("scripts/"))
    .map((file) => ({ file, text: readFileSync(join(repositoryRoot(), "components", file), "utf8") }));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter(({ text }) => text.includes("readFileSync")).map(({ file }) => file)).toEqual([]);
  expect(readFileSync(join(repositoryRoot(), ".gitattributes"), "utf8")).toMatch(/^\* text=auto eol=lf$/m);
});
