import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TokenFile } from "../../../../services/model-control/src/auth/token-file";
import { sha256 } from "../api";

const folder = mkdtempSync(join(tmpdir(), "model-control-tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, ...ids: string[]): string {
  const path = join(folder, name);
  writeFileSync(
    `${path}.new`,
    JSON.stringify({ tokens: ids.map((id) => ({ id, sha256: sha256(id), scopes: ["read"] })) }),
  );
  renameSync(`${path}.new`, path);
  return path;
}

describe("tokens file", () => {
  it("takes up a change without a restart, and keeps the old tokens while the new ones cannot be used", () => {
    const path = file("rotated", "old");
    let now = 0;
    const told: (string | undefined)[] = [];
    const tokens = new TokenFile(
      path,
      (problem) => told.push(problem),
      () => now,
    );
    const ids = () => tokens.tokens().map(({ id }) => id);
    expect(ids()).toEqual(["old"]);

    file("rotated", "new", "another");
    expect(ids()).toEqual(["old"]);
    now += 1000;
    expect(ids()).toEqual(["new", "another"]);

    writeFileSync(path, '{"tokens": [{"id": "x"}]}');
    now += 1000;
    expect(ids()).toEqual(["new", "another"]);
    rmSync(path);
    now += 1000;
    expect(ids()).toEqual(["new", "another"]);
    expect(told).toEqual([undefined, expect.stringContaining("tokens[0].sha256"), expect.stringContaining("ENOENT")]);

    file("rotated");
    now += 1000;
    expect(ids()).toEqual([]);
  });

  it("refuses a file that does not fit, without showing hashes", () => {
    const path = file("bad");
    const entry = { id: "a", sha256: "not-a-hash-but-s3cret", scopes: ["admin"] };
    writeFileSync(path, JSON.stringify({ tokens: [entry, { ...entry, sha256: sha256("x"), scopes: ["read"] }] }));
    const open = () => new TokenFile(path, () => undefined);
    expect(open).toThrow(/tokens\[0\]\.sha256 is \(hidden\); allowed: 64 hexadecimal digits/);
    expect(open).toThrow(/tokens\[0\]\.scopes\[0\] is "admin"; allowed: read, pull, infer, operate/);
    expect(open).not.toThrow(/s3cret/);
  });

  it("refuses one id twice, and a file that is not there", () => {
    expect(() => new TokenFile(file("twice", "a", "a"), () => undefined)).toThrow(/tokens\[1\]\.id is "a"/);
    expect(() => new TokenFile(join(folder, "none"), () => undefined)).toThrow(/cannot be read/);
  });
});
