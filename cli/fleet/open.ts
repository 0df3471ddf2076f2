/** Reads a fleet's file and merges its nodes, for every action. */
import { resolve } from "node:path";
import { visible } from "../../names/visible";
import { formatProblems, suggest } from "../../stacks/config/core/problems";
import { readTextFile, UnreadableFileError } from "../../stacks/config/text-file";
import type { Problem } from "../read-environment";
import { Bases } from "./base";
import { type ComposedNode, composeNode } from "./compose";
import { type FleetFile, parseFleetFile } from "./fleet-file";
import { oneClusterEach } from "./one-cluster-each";

export interface OpenedFleet {
  readonly fleet: FleetFile;
  /** Requested ones, in file order. */
  readonly nodes: readonly ComposedNode[];
}

/**
 * @param names of requested nodes; empty: all.
 * @returns what must be fixed first.
 */
export function openFleet(path: string, names: readonly string[]): OpenedFleet | Problem {
  const file = resolve(path);
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) {
      throw error;
    }
    return { problem: `cannot read ${visible(path)}: it ${error.reason}; ${error.fix}` };
  }
  const fleet = parseFleetFile(file, text);
  if (fleet.problems.length > 0) {
    // All known problems at once.
    const all = [...fleet.problems, ...fleet.nodes.flatMap(({ problems }) => problems)];
    return { problem: formatProblems(all, fleet.fileName) };
  }
  const known = fleet.nodes.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const told = unknown.map((name) => `${JSON.stringify(name)} (${suggest(name, known, "not in the file")})`);
    return { problem: `${fleet.fileName} has no node ${told.join(", ")}` };
  }
  const bases = new Bases(fleet);
  const nodes = oneClusterEach(fleet.nodes.map((node) => composeNode(fleet, node, bases.of(node))));
  return { fleet, nodes: nodes.filter(({ name }) => names.length === 0 || names.includes(name)) };
}
