/** `fleet write`: each node's `Pulumi.<node>.yaml` for pulumi. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../../charts/whole-file";
import { type Style, style, WIDTH, wrap } from "../../report/style";
import { parseEnvironmentFile } from "../../stacks/config";
import { isFileSystemError } from "../io";
import type { FleetCommands } from "./commands";
import { allProblems, type ComposedNode } from "./compose";
import { isGenerated } from "./generated";
import type { OpenedFleet } from "./open";
import { problemText } from "./report-problems";
import type { FleetProblem } from "./result";

export interface WrittenNode {
  readonly name: string;
  readonly file: string;
  readonly state: "written" | "unchanged" | "left";
  readonly problems: readonly FleetProblem[];
  readonly failure?: string;
  readonly notes: readonly string[];
}

export interface FleetWriting {
  readonly fleet: string;
  readonly ok: boolean;
  readonly nodes: readonly WrittenNode[];
  /** Files of removed nodes. */
  readonly leftOver: readonly string[];
}

/** Writes nodes without mistakes; other files stay. */
export function writeFleet({ fleet, nodes }: OpenedFleet): FleetWriting {
  const written = nodes.map(writeNode);
  const names = new Set(fleet.nodes.map(({ name }) => `Pulumi.${name}.yaml`));
  return {
    fleet: fleet.fileName,
    ok: written.every(({ state }) => state !== "left"),
    nodes: written,
    leftOver: readdirSync(fleet.folder)
      .filter((name) => /^Pulumi\..+\.yaml$/.test(name) && !names.has(name))
      .filter((name) => isFromHere(join(fleet.folder, name), fleet.fileName))
      .sort(),
  };
}

function writeNode(node: ComposedNode): WrittenNode {
  const { name, file, fileName, fileState, text, notes } = node;
  const parsed = text === undefined ? undefined : parseEnvironmentFile(text);
  const all = allProblems(node, parsed && !parsed.ok ? parsed.problems : []);
  const told = { name, file: fileName, problems: all, notes };
  if (text === undefined || all.length > 0) {
    return { ...told, state: "left" };
  }
  if (fileState === "current") {
    return { ...told, state: "unchanged" };
  }
  try {
    // Atomic: it may hold the only copy of encrypted secrets.
    writeWhole(file, text);
    return { ...told, state: "written" };
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    return { ...told, state: "left", failure: `cannot write ${fileName}: ${error.message}` };
  }
}

function isFromHere(file: string, fleetName: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    return isGenerated(text) && text.includes(`Generated from ${fleetName} `);
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    return false;
  }
}

export function fleetWritingText(
  { fleet, nodes, leftOver }: FleetWriting,
  commands: FleetCommands,
  color: boolean,
): string {
  const s = style(color);
  const of = (state: WrittenNode["state"]) => nodes.filter((node) => node.state === state);
  const first = nodes.find(({ state }) => state !== "left");
  const counts = [
    `${of("written").length === 1 ? "1 file" : `${of("written").length} files`} written`,
    ...(of("unchanged").length > 0 ? [`${of("unchanged").length} unchanged`] : []),
    ...(of("left").length > 0 ? [`${of("left").length} not written`] : []),
  ];
  return [
    `${s.bold(`inference-stacks fleet · ${fleet}`)} · ${counts.join(" · ")}\n`,
    ...nodes.map((node) => troubles(node, s)),
    ...leftOver.map((file) => {
      const stack = file.replace(/^Pulumi\.|\.yaml$/g, "");
      const text = `${file} is of no node of ${fleet} any more: ${commands.pulumi("destroy", stack)}, then delete the file`;
      return `${wrap(`! ${text}`, WIDTH, "").join("\n  ")}\n`;
    }),
    ...(first ? [`Next: pulumi stack init ${first.name} (once), then ${commands.pulumi("up", first.name)}\n`] : []),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function troubles({ name, state, problems, failure, notes }: WrittenNode, s: Style): string {
  if (problems.length === 0 && failure === undefined && notes.length === 0) {
    return "";
  }
  return [
    `${state === "left" ? s.bad(`✗ ${name}: its file was not written`) : s.warn(`! ${name}`)}\n`,
    ...problems.map((problem, index) => problemText(problem, index + 1, s)),
    ...(failure === undefined ? [] : [`  ${failure}\n`]),
    ...notes.map((note) => `${wrap(`- ${note}`, WIDTH, "  ").join("\n")}\n`),
  ].join("");
}
