import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LoggedCommands, lastLines } from "../../../rehearsal/parts/command";
import { installDebianPart } from "../../../rehearsal/parts/install-debian";
import { partOf } from "../../../rehearsal/parts/parts";

const INSTALL = "apt-get install --yes --no-install-recommends redis-server";

describe("installing a Debian part", () => {
  let folder = "";
  let commands: LoggedCommands;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "debian-"));
    commands = new LoggedCommands(join(folder, "log"));
    vi.stubEnv("PATH", folder);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it("tells a plain user the exact command and runs nothing", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(1000);
    await expect(installDebianPart(partOf("redis-server"), commands)).rejects.toThrow(
      `not root: run "sudo ${INSTALL}", or put redis-server on PATH`,
    );
    expect(lastLines(commands.log, 9)).toEqual([]);
  });

  it("updates the package lists as root when the first try fails", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(0);
    const script = `#!/bin/sh\n[ "$1" = update ] && : > ${folder}/updated\n[ -e ${folder}/updated ]\n`;
    writeFileSync(join(folder, "apt-get"), script);
    chmodSync(join(folder, "apt-get"), 0o755);
    await installDebianPart(partOf("redis-server"), commands);
    expect(lastLines(commands.log, 9)).toEqual([`$ ${INSTALL}`, "$ apt-get update", `$ ${INSTALL}`]);
  });

  it("says so when there is no apt-get", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(0);
    await expect(installDebianPart(partOf("redis-server"), commands)).rejects.toThrow("apt-get is not on PATH");
  });
});
