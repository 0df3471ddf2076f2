/** Commands that go on from here, as one would type them in the folder in which this one was run. */
import { dirname, join, relative, resolve } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { shellWord } from "../../names/shell-word";
import { cleaned } from "../cluster/foreign-text";
import { FLEET_FILE_DEFAULT } from "./defaults";

export interface FleetCommands {
  readonly write: string;
  /** A command of pulumi on a node's stack: `pulumi up -s berlin-01`. */
  pulumi(verb: string, node: string): string;
  /**
   * Commits of models are pinned where the models stand, for all who inherit them: a node's own file is written anew.
   *
   * @param base what the node inherits, as the fleet names it.
   */
  pin(base: string): string;
}

/** @param file absolute path of the fleet's file. */
export function fleetCommands(file: string): FleetCommands {
  const folder = dirname(file);
  const isAtRoot = folder === repositoryRoot();
  const isDefault = isAtRoot && file === join(folder, FLEET_FILE_DEFAULT);
  return {
    write: `npm run fleet -- write${isDefault ? "" : ` ${typed(file)}`}`,
    // Pulumi looks for a stack's file beside Pulumi.yaml alone.
    pulumi: (verb, node) =>
      `pulumi ${verb} -s ${node}${isAtRoot ? "" : ` --config-file ${typed(join(folder, `Pulumi.${node}.yaml`))}`}`,
    pin: (base) => `npm run pin -- ${/^[\w-]+$/.test(base) ? base : `--config ${typed(resolve(folder, base))}`}`,
  };
}

/**
 * A command of pulumi on a node's stack as the node's own file tells it: the same bytes, wherever it was written from.
 *
 * @param folder absolute path of the fleet's folder, in which the file lies.
 */
export function commandInOwnFile(verb: string, node: string, folder: string): string {
  return `pulumi ${verb} -s ${node}${folder === repositoryRoot() ? "" : " --config-file <path of this file>"}`;
}

function typed(file: string): string {
  const path = relative(process.cwd(), file);
  return shellWord(cleaned(path.startsWith("..") ? file : path));
}
