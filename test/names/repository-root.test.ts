import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rootAbove } from "../../names/repository-root";

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "repository-root-"));
  mkdirSync(join(top, "app/dist"), { recursive: true });
});

afterEach(() => rmSync(top, { recursive: true }));

const packageAt = (folder: string, content: unknown) =>
  writeFileSync(join(top, folder, "package.json"), JSON.stringify(content));

describe("the repository root above a folder", () => {
  it("is the nearest folder with the repository's package", () => {
    packageAt(".", { name: "inference-stacks" });
    packageAt("app", { name: "inference-stacks" });
    expect(rootAbove(join(top, "app/dist"))).toBe(join(top, "app"));
    expect(rootAbove(join(top, "app"))).toBe(join(top, "app"));
  });

  it.each([[null], ["inference-stacks"], [{}], [{ name: "another" }]])(
    "is not that of another package: %j",
    (content) => {
      packageAt(".", { name: "inference-stacks" });
      packageAt("app", content);
      expect(rootAbove(join(top, "app/dist"))).toBe(top);
    },
  );

  it("is none where the search ends without one", () => {
    expect(rootAbove(parse(top).root)).toBeUndefined();
  });
});
