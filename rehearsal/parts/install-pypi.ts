import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedCommands } from "./command";
import type { Part, PyPiPackage } from "./part";
import { requirementsFile } from "./pins";

/**
 * Installs a package into a virtual environment with launchers in `<folder>/bin`. All packages are
 * pinned by hash, so changed files on PyPI are refused.
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
    // The file lists all dependencies, some intentionally in other versions than packages request.
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

/** Registers a package under a second name and version by copying its metadata. */
function alias(from: PyPiPackage, name: NonNullable<PyPiPackage["looksFor"]>, environment: string): void {
  // Packages may ship bundled libraries.
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

/** Wheel naming with underscores (https://packaging.python.org, "Recording installed projects"). */
function metadataFolder({ package: name, version }: { readonly package: string; readonly version: string }): string {
  return `${name.replaceAll("-", "_")}-${version}.dist-info`;
}

/** Scripts contain the environment's original path; launchers also work after a move. */
function launcherOf(script: string): string {
  const started = script === "python" ? "" : ` "$venv/${script}"`;
  return ["#!/bin/sh", 'venv="$(dirname "$0")/../venv/bin"', `exec "$venv/python"${started} "$@"`, ""].join("\n");
}

/**
 * Launcher of a packaged program with its libraries. --part-version prints the package's version if
 * the program starts, as some print none (help may exit with 1).
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
