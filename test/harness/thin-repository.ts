import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { buildPackage } from "../../scripts/package/build";
import { NOTES_ADDON, OWN_ENVIRONMENT, OWN_PARTS } from "./own-parts";

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

/** Gives it an add-on, an engine, rows of images and models, and a transform of its own. */
export function addOwnParts(project: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  write("index.ts", OWN_PARTS);
  write("addons/notes.ts", NOTES_ADDON);
  write("Pulumi.own.yaml", OWN_ENVIRONMENT);
  write("models/our-model/config.json", textOf("catalog/models/llama-3.2-3b-instruct/config.json"));
  for (const half of ["engine", "server"]) {
    const source = textOf(`test/engines/made-up/${half}.ts`);
    write(`engines/phantom/${half}.ts`, source.replaceAll('"../../../', `"${PACKAGE}/`));
  }
}

function textOf(path: string): string {
  return readFileSync(join(repositoryRoot(), path), "utf8");
}
