import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { unknownProgram } from "./unknown-program";

const folder = mkdtempSync(join(tmpdir(), "programs-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "ours"), "#!/bin/sh\n");
chmodSync(join(folder, "ours"), 0o755);

describe("a test on Node alone may start", () => {
  it.each([
    ["Node", process.execPath, undefined],
    ["the shell", "/bin/sh", undefined],
    ["sh and git of its PATH", "sh", "/usr/bin"],
    ["what it wrote itself", "ours", `${folder}:/usr/bin`],
    ["that by its path", join(folder, "ours"), undefined],
    ["a name that is not there", "no-such-program", "/usr/bin"],
  ])("%s", (_, file, path) => {
    expect(unknownProgram(file, path, ["/usr/bin"])).toBeUndefined();
  });

  it("what it may on a PATH with an empty or relative entry, where that is the machine's own", () => {
    expect(unknownProgram("sh", "/usr/bin::./bin", ["/usr/bin", "", "./bin"])).toBeUndefined();
  });

  it.each([
    ["a program of the machine by its path", "/usr/bin/openssl", undefined, "/usr/bin/openssl is a program"],
    ["the machine's bash", "/bin/bash", "/usr/bin", "/bin/bash is a program"],
    ["anything without a PATH", "ours", undefined, "gets no PATH"],
    ["anything with a PATH of the machine's folders", "ours", `${folder}:/opt/bin`, "gets /opt/bin on its PATH"],
    ["anything with an empty entry in its PATH", "ours", `${folder}:`, "gets an empty entry"],
  ])("not %s", (_, file, path, why) => {
    expect(unknownProgram(file, path, ["/usr/bin"])).toContain(why);
  });

  it("not what it finds on its own PATH", () => {
    expect(unknownProgram("env", "/usr/bin", ["/usr/bin"])).toContain(
      "env (/usr/bin/env) is a program of this machine",
    );
  });
});

describe("what a test starts besides", () => {
  const program = "/usr/bin/openssl";

  it("is refused, however it is started, and fails its file", async () => {
    expect(() => execFileSync(program)).toThrow("is a program of this machine");
    expect(() => spawnSync(program, ["version"], {})).toThrow("is a program of this machine");
    await expect((async () => promisify(execFile)(program, { env: {} }))()).rejects.toThrow(
      "is a program of this machine",
    );
    const { unknownPrograms = [] } = globalThis as { unknownPrograms?: string[] };
    expect(unknownPrograms.splice(0)).toHaveLength(3);
  });
});
