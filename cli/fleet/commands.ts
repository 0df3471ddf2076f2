/** Follow-up commands for the user's working directory. */
import { dirname, join, relative, resolve } from "node:path";
import { projectRoot } from "../../names/project-root";
import { shellWord } from "../../names/shell-word";
import { POLICY_PACK } from "../../report/next-step";
import { cleaned } from "../cluster/foreign-text";
import { FLEET_FILE_DEFAULT } from "./defaults";

export interface FleetCommands {
  readonly write: string;
  /** Pulumi on a node's stack: `pulumi up -s berlin-01 --policy-pack policies`. */
  pulumi(verb: string, node: string): string;
  /**
   * Commits are pinned where models are declared, for all that inherit them: nodes' own files are
   * generated.
   *
   * @param base inherited environment, as named in the fleet.
   */
  pin(base: string): string;
}

/** @param file absolute path of the fleet's file. */
export function fleetCommands(file: string): FleetCommands {
  const folder = dirname(file);
  const isAtRoot = folder === projectRoot();
  const isDefault = isAtRoot && file === join(folder, FLEET_FILE_DEFAULT);
  return {
    write: `npm run fleet -- write${isDefault ? "" : ` ${typed(file)}`}`,
    // Pulumi looks for a stack's file only next to Pulumi.yaml.
    pulumi: (verb, node) =>
      `pulumi ${verb} -s ${node}${verb === "up" ? ` ${POLICY_PACK}` : ""}${isAtRoot ? "" : ` --config-file ${typed(join(folder, `Pulumi.${node}.yaml`))}`}`,
    pin: (base) => `npm run pin -- ${/^[\w-]+$/.test(base) ? base : `--config ${typed(resolve(folder, base))}`}`,
  };
}

/**
 * Command in the node's own file: the same bytes, wherever it is written from.
 *
 * @param folder absolute path of the fleet's folder.
 */
export function commandInOwnFile(verb: string, node: string, folder: string): string {
  return `pulumi ${verb} -s ${node}${folder === projectRoot() ? "" : " --config-file <path of this file>"}`;
}

function typed(file: string): string {
  const path = relative(process.cwd(), file);
  return shellWord(cleaned(path.startsWith("..") ? file : path));
}
