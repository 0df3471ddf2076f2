import { join } from "node:path";
import type { LoggedCommands } from "./command";
import type { GoModule, Part } from "./part";
import { fileModules, pinFolder, pinnedVersion, pinsOf } from "./pins";

/**
 * Neither a go.work of a folder above nor an exported target changes what is built: it runs on this machine. A module that asks for a newer
 * Go is built with that: `go` downloads it, and verifies it as it does modules.
 */
const GO_ENV = { GOWORK: "off", GOOS: "", GOARCH: "", GOTOOLCHAIN: "auto" };
/** The linker leaves out what debuggers read (`-s -w`): not compiling it saves an eighth of the CPU time. */
const NO_DWARF = "-gcflags=all=-dwarf=false";

/** Builds a part's binaries from its pinned module into `<folder>/bin`. Go itself uses all cores. */
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

/** Downloads the modules whose files tests read (moduleFolder). */
export async function downloadFileModules(commands: LoggedCommands): Promise<void> {
  for (const [module, name] of fileModules()) {
    await commands.run("go", ["mod", "download", "-x", module], { cwd: pinFolder(name), env: GO_ENV });
  }
}
