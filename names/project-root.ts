import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderAbove, repositoryRoot } from "./repository-root";

const PROJECT_FILE = "Pulumi.yaml";

/**
 * Folder of the user's Pulumi project: environments, the lock of charts, measurements. A checkout is
 * its own project; a package serves the one it runs in.
 *
 * @throws Error when there is none.
 */
export function projectRoot(): string {
  const root = repositoryRoot();
  if (existsSync(join(root, PROJECT_FILE))) {
    return root;
  }
  const project = folderAbove(process.cwd(), [PROJECT_FILE]);
  if (project === undefined) {
    throw new Error(`no ${PROJECT_FILE} in or above ${process.cwd()}: run from inside the Pulumi project`);
  }
  return project;
}
