import { join } from "node:path";
import type { LoggedCommands } from "./command";
import type { GoModule, Part } from "./part";
import { fileModules, pinFolder, pinnedVersion, pinsOf } from "./pins";

/**
 * Ignores a parent's go.work and an exported target. Downloads and verifies newer Go toolchains
 * that modules require.
 */
const GO_ENV = { GOWORK: "off", GOOS: "", GOARCH: "", GOTOOLCHAIN: "auto" };
/** The linker drops debug data (`-s -w`); not generating it saves an eighth of CPU time. */
const NO_DWARF = "-gcflags=all=-dwarf=false";

/** Builds binaries from the pinned module into `<folder>/bin`. Go uses all cores. */
export async function buildGoPart(
  part: Part & { readonly from: GoModule },
  folder: string,
  commands: LoggedCommands,
): Promise<void> {
  const { ldflags = "", tags = "" } = part.from;
  const linker = `-s -w ${ldflags.replaceAll("{version}", pinnedVersion(part) ?? "")}`;
  const flags = [
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-v",
    `-tags=${tags}`,
    `-ldflags=${linker}`,
    NO_DWARF,
  ];
  for (const [binary, goPackage] of Object.entries(part.binaries)) {
    await commands.run("go", ["build", ...flags, "-o", join(folder, "bin", binary), goPackage], {
      cwd: pinFolder(pinsOf(part)),
      env: GO_ENV,
    });
  }
}

/** Downloads modules whose files tests read (moduleFolder). */
export async function downloadFileModules(commands: LoggedCommands): Promise<void> {
  for (const [module, name] of fileModules()) {
    await commands.run("go", ["mod", "download", "-x", module], { cwd: pinFolder(name), env: GO_ENV });
  }
}
