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

const packageAt = (folder: string, name = "acme-inference") =>
  writeFileSync(join(top, folder, "package.json"), JSON.stringify({ name }));

const programAt = (folder: string) => {
  packageAt(folder);
  mkdirSync(join(top, folder, "catalog"));
  writeFileSync(join(top, folder, "catalog/chart-images.json"), "{}");
};

describe("the program's root above a folder", () => {
  it("is the nearest folder with its files, whatever its package is called", () => {
    programAt(".");
    programAt("app");
    expect(rootAbove(join(top, "app/dist"))).toBe(join(top, "app"));
    expect(rootAbove(join(top, "app"))).toBe(join(top, "app"));
  });

  it("is not that of another package", () => {
    programAt(".");
    packageAt("app", "inference-stacks");
    expect(rootAbove(join(top, "app/dist"))).toBe(top);
  });

  it("is none where the search ends without one", () => {
    expect(rootAbove(parse(top).root)).toBeUndefined();
  });
});
