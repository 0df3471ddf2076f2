import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";

/**
 * Writes the declarations of all that a repository's own parts may import, next to the modules.
 *
 * @param folder of the package
 * @throws Error with the compiler's findings.
 */
export function writeTypes(folder: string): void {
  const root = repositoryRoot();
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const args = ["-p", join(root, "scripts/package/tsconfig.json"), "--outDir", folder];
  execFileSync(process.execPath, [compiler, ...args], { cwd: root, stdio: "inherit" });
}
