import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { KeyFile } from "../../../../services/model-control/src/inference/key-file";

const folder = mkdtempSync(join(tmpdir(), "model-control-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, "keys.json");
const KEY = Buffer.alloc(32, 7).toString("base64");

function write(...keys: object[]): void {
  writeFileSync(`${path}.new`, JSON.stringify({ keys }));
  renameSync(`${path}.new`, path);
}

describe("key file", () => {
  it("takes up a new key without a restart, and keeps the old ones while the file cannot be used", () => {
    write({ id: "old", key: KEY });
    let now = 0;
    const told: (string | undefined)[] = [];
    const file = new KeyFile(
      path,
      (problem) => told.push(problem),
      () => now,
    );
    const ids = () => file.keys().map(({ id }) => id);
    write({ id: "new", key: KEY }, { id: "old", key: KEY });
    now += 1000;
    expect(ids()).toEqual(["new", "old"]);
    write();
    now += 1000;
    expect(ids()).toEqual(["new", "old"]);
    expect(told).toEqual([undefined, expect.stringContaining("at least one key")]);
    expect(file.keys()[0]?.secret).toHaveLength(32);
  });

  it("refuses what is no key, without showing it, and one id twice", () => {
    write({ id: "a", key: "s3cret" }, { id: "a", key: KEY });
    const open = () => new KeyFile(path, () => undefined);
    expect(open).toThrow(/keys\[0\]\.key is \(hidden\); allowed: 32 bytes in base64/);
    expect(open).toThrow(/keys\[1\]\.id is "a"; allowed: an id that no other key has/);
    expect(open).not.toThrow(/s3cret/);
  });
});
