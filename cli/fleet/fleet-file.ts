/** `fleet.yaml`: nodes as environments, and their common values. */
import { basename, dirname } from "node:path";
import {
  type ConfigProblem,
  type Path,
  type ProblemDraft,
  suggest,
  toProblem,
} from "../../stacks/config/core/problems";
import { NAMESPACE } from "../../stacks/config/core/schema";
import { readYaml, type YamlFile } from "../../stacks/config/yaml-file";
import { type FleetCommands, fleetCommands } from "./commands";
import { isMapping, type Values } from "./merge";
import { securePaths } from "./secure";

/** Values of a `config` mapping. */
export interface FleetConfig {
  /** By full key: `inference-stacks:models`. */
  readonly values: Values;
  /** Of the mapping. */
  readonly path: Path;
}

export interface FleetNode {
  /** Of its environment and stack. */
  readonly name: string;
  /** Inherited environment or file. @default none */
  readonly extends?: { readonly value: string; readonly path: Path };
  readonly config: FleetConfig;
  /** Syntax problems; content is judged elsewhere. */
  readonly problems: readonly ConfigProblem[];
}

export interface FleetFile {
  /** Absolute path. */
  readonly file: string;
  /** For messages. */
  readonly fileName: string;
  /** Folder of the nodes' files, and base of relative paths in them. */
  readonly folder: string;
  readonly yaml: YamlFile;
  /** Problems of all nodes: none can be planned. */
  readonly problems: readonly ConfigProblem[];
  readonly config: FleetConfig;
  readonly nodes: readonly FleetNode[];
}

const TOP_KEYS = ["extends", "config", "nodes"];
const NODE_KEYS = ["extends", "config"];

/** Valid for Pulumi stacks and for environments here. */
const NODE_NAME = /^[\w-]{1,100}$/;

/** Never throws. */
export function parseFleetFile(file: string, text: string): FleetFile {
  const yaml = readYaml(text, "begin the file with nodes:, and the nodes' names indented below it");
  const { root } = yaml;
  const told = (drafts: readonly Told[]) =>
    drafts.map(({ hide = false, ...draft }) => toProblem(draft, hide, yaml.lineOf(draft.path)));
  const isRead = yaml.problems.length === 0;
  const shared = extendsProblems(root.extends, ["extends"]);
  const commands = fleetCommands(file);
  const top = [
    ...unknownKeys(root, TOP_KEYS, []),
    ...shared,
    ...configProblems(root.config, ["config"], yaml, commands),
    ...nodesProblems(root.nodes),
  ];
  const inherited =
    typeof root.extends === "string" && shared.length === 0 ? { value: root.extends, path: ["extends"] } : undefined;
  const nodes = isMapping(root.nodes) ? Object.entries(root.nodes) : [];
  return {
    file,
    fileName: basename(file),
    folder: dirname(file),
    yaml,
    problems: isRead ? told(top) : yaml.problems,
    config: configAt(root.config, ["config"]),
    nodes: nodes.map(([name, value]): FleetNode => {
      const path = ["nodes", name];
      const own = isMapping(value) ? value : {};
      const base = typeof own.extends === "string" ? { value: own.extends, path: [...path, "extends"] } : inherited;
      return {
        name,
        ...(base && { extends: base }),
        config: configAt(own.config, [...path, "config"]),
        problems: told(nodeProblems(name, value, yaml, commands)),
      };
    }),
  };
}

interface Told extends ProblemDraft {
  /** The value may be secret. */
  readonly hide?: boolean;
}

function nodesProblems(nodes: unknown): Told[] {
  return isMapping(nodes) && Object.keys(nodes).length > 0
    ? []
    : [
        {
          path: ["nodes"],
          value: nodes,
          allowed: "a mapping of nodes by name",
          fix: "write nodes:, and indented below it the name of each node, as berlin-01:",
        },
      ];
}

function nodeProblems(name: string, value: unknown, yaml: YamlFile, commands: FleetCommands): Told[] {
  const path = ["nodes", name];
  const names: Told[] = NODE_NAME.test(name)
    ? []
    : [
        {
          path,
          value: name,
          allowed: 'the name of a stack: letters, digits, "_" and "-", at most 100',
          fix: `rename it${renamed(name)}`,
        },
      ];
  // A bare name inherits everything.
  if (value === null || value === undefined) {
    return names;
  }
  if (!isMapping(value)) {
    const fix = "write config:, and the node's own values indented below it";
    return [...names, { path, value, allowed: `a mapping with ${NODE_KEYS.join(", ")}`, fix }];
  }
  return [
    ...names,
    ...unknownKeys(value, NODE_KEYS, path),
    ...extendsProblems(value.extends, [...path, "extends"]),
    ...configProblems(value.config, [...path, "config"], yaml, commands),
  ];
}

function renamed(name: string): string {
  const simple = name.replace(/[^\w-]+/g, "-").slice(0, 100);
  return NODE_NAME.test(simple) ? `, for example to ${simple}` : "";
}

function unknownKeys(mapping: Values, known: readonly string[], path: Path): Told[] {
  return Object.keys(mapping)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: [...path, key],
      value: key,
      allowed: `the keys ${known.join(", ")}`,
      fix: suggest(key, known, "sections of an environment (cluster, pools, models, …) are under config:"),
    }));
}

function extendsProblems(value: unknown, path: Path): Told[] {
  return value === undefined || (typeof value === "string" && value !== "")
    ? []
    : [
        {
          path,
          value,
          allowed: "one environment: its name, or the path of its file",
          fix: "name one, for example extends: edge-nvidia; the file that it names inherits nothing itself",
        },
      ];
}

function configProblems(config: unknown, path: Path, yaml: YamlFile, { pulumi }: FleetCommands): Told[] {
  if (config === undefined) {
    return [];
  }
  if (!isMapping(config)) {
    const fix = "indent sections below it, such as cluster: and models:";
    return [{ path, value: config, allowed: "a mapping of sections", fix }];
  }
  const twice = Object.keys(config).filter((key) => !key.includes(":") && Object.hasOwn(config, fullKey(key)));
  return [
    ...twice.map((key) => ({
      path: [...path, key],
      value: key,
      allowed: `one of ${key} and ${fullKey(key)}: they are the same`,
      fix: "put what both say under one of them",
    })),
    ...securePaths(config, path).map((at) => ({
      path: at,
      value: undefined,
      allowed: "plain values: an encrypted one belongs to one stack, and only that can open it",
      fix: `remove it here, and run ${pulumi(`config set --secret ${secretKey(at, path)}`, "<node>")}: the node's file keeps it`,
      hide: true,
    })),
    ...yaml.emptyBelow(path).map((at) => ({
      path: at,
      value: undefined,
      allowed: "a value, or null to take away what is inherited",
      fix: "write one of them behind the colon",
    })),
  ];
}

function secretKey(at: Path, config: Path): string {
  return fullKey(String(at[config.length] ?? "<key>"));
}

function configAt(config: unknown, path: Path): FleetConfig {
  const entries = isMapping(config) ? Object.entries(config) : [];
  return { values: Object.fromEntries(entries.map(([key, value]) => [fullKey(key), value])), path };
}

/** Keys without a namespace are ours. */
function fullKey(key: string): string {
  return key.includes(":") ? key : `${NAMESPACE}:${key}`;
}
