/** A node's environment: inherited, shared and own values, and secrets of its stack. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type ConfigProblem, formatPath, list, type Path, toProblem } from "../../stacks/config/core/problems";
import { NAMESPACE } from "../../stacks/config/core/schema";
import { readTextFile, UnreadableFileError } from "../../stacks/config/text-file";
import { readYaml, type YamlFile } from "../../stacks/config/yaml-file";
import type { Base, BaseReading } from "./base";
import { fleetCommands } from "./commands";
import type { FleetConfig, FleetFile, FleetNode } from "./fleet-file";
import {
  digestOf,
  generatedText,
  NO_FILE,
  type OwnFile,
  partedBySecrets,
  readOwnFile,
  SECRET_KEYS_OF_STACK,
} from "./generated";
import { idleNulls, isMapping, merged, type Values } from "./merge";
import type { FileState, FleetProblem } from "./result";

export interface ComposedNode {
  readonly name: string;
  readonly extends: string | undefined;
  /** Absolute path of `Pulumi.<name>.yaml`. */
  readonly fileName: string;
  readonly file: string;
  readonly fileState: FileState;
  /** Undefined where problems leave no content. */
  readonly text: string | undefined;
  /** By full key, as far as merged. */
  readonly values: Values;
  readonly problems: readonly FleetProblem[];
  /** Notes that forbid nothing. */
  readonly notes: readonly string[];
  /** Maps an environment's problem to the file with its value. */
  readonly located: (problem: ConfigProblem) => FleetProblem;
}

/** Problems of a node and its environment, without consequences of reported ones. */
export function allProblems({ problems, located }: ComposedNode, found: readonly ConfigProblem[]): FleetProblem[] {
  const others = found.map(located).filter(({ path }) => !problems.some((told) => told.path.startsWith(`${path}.`)));
  return [...problems, ...others];
}

/** Merges a node. Reads its own file; writes nothing. */
export function composeNode(fleet: FleetFile, node: FleetNode, base: BaseReading | undefined): ComposedNode {
  const { name } = node;
  const fileName = `Pulumi.${name}.yaml`;
  const file = join(fleet.folder, fileName);
  const shared = { name, fileName, file, extends: node.extends?.value };
  const inFleet = (problem: ConfigProblem) => problemIn(fleet.fileName, problem.line, problem);
  const failed = (problems: readonly FleetProblem[], fileState: FileState = "missing"): ComposedNode => ({
    ...shared,
    fileState,
    text: undefined,
    values: {},
    problems,
    notes: [],
    located: inFleet,
  });
  if (node.problems.length > 0) {
    return failed(node.problems.map(inFleet));
  }
  if (base && "problem" in base) {
    return failed([inFleet(toProblem(base.problem, false, fleet.yaml.lineOf(base.problem.path)))]);
  }
  if (base && base.yaml.problems.length > 0) {
    return failed(base.yaml.problems.map((problem) => problemIn(base.fileName, problem.line, problem)));
  }
  const own = ownFileAt(file);
  if ("reason" in own) {
    return failed([inFleet(toProblem({ path: ["nodes", name], value: name, ...own.draft(fileName) }))], "foreign");
  }
  const composed = contentOf(fleet, node, base, own);
  const { root, inherited, notes } = composed;
  const text = generatedText(fleet, name, root);
  const conflict = conflictOf(own, root, fileName, fleet.fileName);
  const located = locator(fleet, node, base, own, fileName);
  const idle = idleNulls(inherited, node.config.values).map((path) =>
    located(
      toProblem({
        path: ownPath(path),
        value: "null",
        allowed: "null only where a value is inherited; here none is",
        fix: "remove the line, or correct its key",
      }),
    ),
  );
  return {
    ...shared,
    fileState: conflict ? "foreign" : stateOf(own, root),
    text,
    values: isMapping(root.config) ? root.config : {},
    problems: [...(conflict ? [conflict] : []), ...idle],
    notes,
    located,
  };
}

interface Content {
  readonly root: Values;
  /** Values below the node's own. */
  readonly inherited: Values;
  readonly notes: readonly string[];
}

/** Values from furthest to nearest, with secrets its stack can decrypt. */
function contentOf(
  fleet: FleetFile,
  { name, config }: FleetNode,
  base: Base | undefined,
  { ofPulumi, secrets }: OwnFile,
): Content {
  const { config: below = {}, ...others } = base?.yaml.root ?? {};
  const { plain, secrets: inheritedSecrets } = partedBySecrets(isMapping(below) ? below : {});
  const isShared = sharesKey(others, ofPulumi, secrets);
  const foreign = isShared ? {} : inheritedSecrets;
  const ofStack: readonly string[] = SECRET_KEYS_OF_STACK;
  const top = Object.fromEntries(Object.entries(others).filter(([key]) => isShared || !ofStack.includes(key)));
  const inherited = merged(plain, fleet.config.values);
  const { pulumi } = fleetCommands(fleet.file);
  const lost = Object.keys(foreign).filter((key) => !Object.hasOwn(secrets, key));
  return {
    root: {
      ...top,
      ...ofPulumi,
      config: { ...merged(inherited, config.values), ...(isShared && inheritedSecrets), ...secrets },
    },
    inherited,
    notes: lost.map(
      (key) =>
        `${key} of ${base?.fileName ?? ""} is encrypted for another stack and not inherited: ${pulumi(`config set --secret ${key}`, name)}`,
    ),
  };
}

/**
 * Whether a node's stack can decrypt its base's secrets: both files name the same key. Secrets of
 * Pulumi Cloud name none, and belong to one stack.
 */
function sharesKey(base: Values, own: Values, ownSecrets: Values): boolean {
  const named = (values: Values) => SECRET_KEYS_OF_STACK.filter((key) => values[key] !== undefined);
  if (named(own).length === 0) {
    return Object.keys(ownSecrets).length === 0 && (base.encryptionsalt ?? base.encryptedkey) !== undefined;
  }
  return SECRET_KEYS_OF_STACK.every((key) => own[key] === base[key]);
}

interface Unreadable {
  readonly reason: string;
  readonly draft: (fileName: string) => { readonly allowed: string; readonly fix: string };
}

function ownFileAt(file: string): OwnFile | Unreadable {
  if (!existsSync(file)) {
    return NO_FILE;
  }
  try {
    return readOwnFile(readTextFile(file));
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) {
      throw error;
    }
    const { reason, fix } = error;
    return { reason, draft: (name) => ({ allowed: `a readable file ${name}: it ${reason}`, fix }) };
  }
}

/** A file with content outside the fleet is kept, because its author may need it. */
function conflictOf(own: OwnFile, root: Values, fileName: string, fleetName: string): FleetProblem | undefined {
  const { plain } = partedBySecrets(isMapping(root.config) ? root.config : {});
  const differing = Object.keys(own.plain).filter(
    (key) => digestOf({ at: own.plain[key] }) !== digestOf({ at: plain[key] }),
  );
  if (own.isUntouched || differing.length === 0) {
    return undefined;
  }
  const problem = toProblem({
    path: [fileName],
    value: `values that are not of ${fleetName}: ${list(differing)}`,
    allowed: `no file, an unchanged one that the fleet wrote, or the same values`,
    fix: `write them into ${fleetName} and delete them in ${fileName}, or rename the node: that file may be another environment`,
  });
  return { ...problemIn(fileName, undefined, problem), path: fileName };
}

function stateOf(own: OwnFile, root: Values): FileState {
  if (own.text === undefined) {
    return "missing";
  }
  const found: unknown = parse(own.text);
  return isMapping(found) && digestOf(found) === digestOf(root) ? "current" : "outdated";
}

/** File for a path of an environment; `prefix` is where its values begin. */
interface Source {
  readonly fileName: string;
  readonly yaml: YamlFile;
  readonly prefix: Path;
}

/** The nearest file with most of a value's path. */
function locator(
  fleet: FleetFile,
  node: FleetNode,
  base: Base | undefined,
  own: OwnFile,
  fileName: string,
): ComposedNode["located"] {
  const ofFleet = ({ path }: FleetConfig): Source => ({ fileName: fleet.fileName, yaml: fleet.yaml, prefix: path });
  const ofSecrets = own.text === undefined ? [] : [{ fileName, yaml: readYaml(own.text, ""), prefix: ["config"] }];
  const sources: readonly Source[] = [
    ofFleet(node.config),
    ofFleet(fleet.config),
    ...(base ? [{ ...base, prefix: ["config"] }] : []),
    ...ofSecrets,
  ];
  const inherited = (problem: ConfigProblem): ConfigProblem => ({
    ...problem,
    fix: `${problem.fix}; for this node alone, under nodes.${node.name}.config of ${fleet.fileName} (null takes away)`,
  });
  return (problem) => {
    const { keys } = problem;
    const [first = ""] = keys;
    const inConfig = first === "config" ? keys.slice(1) : [`${NAMESPACE}:${first}`, ...keys.slice(1)];
    const places = sources.flatMap(({ fileName: name, yaml, prefix }) =>
      spellings(inConfig).flatMap((path) => {
        const place = yaml.placeOf([...prefix, ...path]);
        return place && place.depth > prefix.length
          ? [{ fileName: name, line: place.line, depth: place.depth - prefix.length }]
          : [];
      }),
    );
    // Among equals the first, which overrides the others.
    const [nearest] = places.sort((a, b) => b.depth - a.depth);
    if (nearest) {
      const told = nearest.fileName === base?.fileName ? inherited(problem) : problem;
      return problemIn(nearest.fileName, nearest.line, told);
    }
    const top = base?.yaml.placeOf([first]);
    return base && top
      ? problemIn(base.fileName, top.line, problem)
      : problemIn(fleet.fileName, fleet.yaml.lineOf(["nodes", node.name]), problem);
  };
}

/** Fleet files may omit our namespace. */
function spellings([key = "", ...rest]: Path): Path[] {
  const bare = String(key).startsWith(`${NAMESPACE}:`) ? String(key).slice(NAMESPACE.length + 1) : undefined;
  return bare === undefined
    ? [[key, ...rest]]
    : [
        [key, ...rest],
        [bare, ...rest],
      ];
}

/** As in validation: our keys without namespace, others below `config`. */
function ownPath([key = "", ...rest]: Path): Path {
  const prefix = `${NAMESPACE}:`;
  const text = String(key);
  return text.startsWith(prefix) ? [text.slice(prefix.length), ...rest] : ["config", key, ...rest];
}

function problemIn(file: string, line: number | undefined, problem: ConfigProblem): FleetProblem {
  const { keys, value, allowed, fix, message } = problem;
  return { file, ...(line !== undefined && { line }), path: formatPath(keys), value, allowed, fix, message };
}
