import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { describeObject, groupOf, isBuiltIn, type KubernetesObject } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import { podsOf } from "../../../rehearsal/cluster/recorded-objects";
import { contentOf, objectsIn } from "../../render/run";

/** An object in a file of its own. */
export interface LintedFile {
  /** Below the folder. */
  readonly path: string;
  readonly object: KubernetesObject;
}

/** A folder of manifests that linters read. */
export interface LintedFolder {
  readonly environment: string;
  readonly folder: string;
  readonly files: readonly LintedFile[];
}

/** Pods that controllers make from kinds which no linter knows, in a folder of their own. */
const PODS_FOLDER = "pods-of-custom-resources";

/**
 * Writes what `npm run render -- <environment> --out <folder>` writes, and the pods of its custom resources.
 *
 * @param config file to read instead of the environment's own. @default none
 * @throws Error with what the command says, when it does not end with 0 within 90 s.
 */
export async function renderedFolder(environment: string, folder: string, config?: string): Promise<LintedFolder> {
  const changed = config === undefined ? [] : ["--config", config];
  const command = [join(repositoryRoot(), "cli", "run.mjs"), "render", environment, "--out", folder, ...changed];
  await promisify(execFile)(process.execPath, command, { timeout: 90_000 });
  const files = objectsIn(contentOf(folder)).map(({ path, ...object }) => ({ path, object }));
  const pods = files
    .filter(({ object }) => !isBuiltIn(groupOf(object.apiVersion)))
    .flatMap(({ object }) => podsOf(object));
  return { environment, folder, files: [...files, ...writeObjects(join(folder, PODS_FOLDER), PODS_FOLDER, pods)] };
}

/** A folder with these objects, as if they were an environment. */
export function folderOf(folder: string, objects: readonly KubernetesObject[]): LintedFolder {
  return { environment: "sample", folder, files: writeObjects(folder, "", objects) };
}

/** The file of the folder with this path, whether the linter gives it absolute, below the folder or with a leading slash. */
export function fileAt({ folder, files }: LintedFolder, path: string): LintedFile {
  const below = path.startsWith(folder) ? path.slice(folder.length) : path;
  const found = files.find((file) => file.path === below.replace(/^\//, ""));
  if (found === undefined) {
    throw new Error(`a linter names ${path}, which is no manifest of ${folder}`);
  }
  return found;
}

function writeObjects(folder: string, prefix: string, objects: readonly KubernetesObject[]): LintedFile[] {
  mkdirSync(folder, { recursive: true });
  return objects.map((object) => {
    const name = `${describeObject(object).toLowerCase().replaceAll(/[ /]/g, "-")}.yaml`;
    writeFileSync(join(folder, name), stringify(object));
    return { path: join(prefix, name), object };
  });
}
