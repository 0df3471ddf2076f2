import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedCommands } from "./command";
import type { Part } from "./parts";
import { requirementsFile } from "./pins";

/**
 * Installs a package into a virtual environment of its own, with a launcher in `<folder>/bin` for each binary. It and all
 * that it needs are pinned with their hashes: what PyPI serves under a known version later is refused.
 */
export async function installPyPiPart(part: Part, folder: string, commands: LoggedCommands): Promise<void> {
  const environment = join(folder, "venv");
  await commands.run("python3", ["-m", "venv", environment]);
  const pip = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar=off"];
  await commands.run(join(environment, "bin", "python"), [
    ...pip,
    "--require-hashes",
    "-r",
    requirementsFile(part.name),
  ]);
  mkdirSync(join(folder, "bin"));
  for (const [binary, script] of Object.entries(part.binaries)) {
    const launcher = join(folder, "bin", binary);
    writeFileSync(launcher, launcherOf(script));
    chmodSync(launcher, 0o755);
  }
}

/** The scripts of a virtual environment name its first place; started this way they work where it is moved to. */
function launcherOf(script: string): string {
  const started = script === "python" ? "" : ` "$venv/${script}"`;
  return ["#!/bin/sh", 'venv="$(dirname "$0")/../venv/bin"', `exec "$venv/python"${started} "$@"`, ""].join("\n");
}
