import { copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { buildPackage } from "../../scripts/package/build";

const PACKAGE = "inference-stacks";

/**
 * The template's repository in a new folder, with the package of these sources installed. Other
 * packages are links to this repository's, so that there is one SDK.
 *
 * @param environments of this repository that it takes over.
 */
export function thinRepository(project: string, environments: readonly string[] = []): string {
  const packages = join(project, "node_modules");
  mkdirSync(packages, { recursive: true });
  cpSync(join(repositoryRoot(), "template"), project, { recursive: true });
  for (const name of readdirSync(join(repositoryRoot(), "node_modules"))) {
    if (!name.startsWith(".") && name !== PACKAGE) {
      symlinkSync(join(repositoryRoot(), "node_modules", name), join(packages, name));
    }
  }
  buildPackage(join(packages, PACKAGE));
  for (const name of environments) {
    copyFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), join(project, `Pulumi.${name}.yaml`));
  }
  return project;
}
