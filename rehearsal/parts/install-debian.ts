import type { LoggedCommands } from "./command";
import type { Part } from "./part";

/**
 * Installs a dependency's Debian packages.
 *
 * @throws Error with the exact command if this user may not.
 */
export async function installDebianPart(part: Part, commands: LoggedCommands): Promise<void> {
  const packages = [...new Set(Object.values(part.binaries))];
  const install = ["install", "--yes", "--no-install-recommends", ...packages];
  if (process.getuid?.() !== 0) {
    const binaries = Object.keys(part.binaries).join(", ");
    throw new Error(`not root: run "sudo apt-get ${install.join(" ")}", or put ${binaries} on PATH`);
  }
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  try {
    await commands.run("apt-get", install, options);
  } catch {
    // Container images often lack package lists, and old lists name deleted files.
    await commands.run("apt-get", ["update"], options);
    await commands.run("apt-get", install, options);
  }
}
