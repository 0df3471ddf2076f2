import { basename, dirname, resolve } from "node:path";
import type { OfflineEnvironment } from "../offline/environment";
import { formatProblems, type ParsedEnvironmentFile, parseEnvironmentFile, readTextFile } from "../stacks/config";
import { environmentFile, environmentNames } from "./environments";
import { type CommandIo, EXIT, lineOf } from "./io";

/** Environment of a command. */
export interface EnvironmentArguments {
  readonly environment: string;
  /** In place of `Pulumi.<environment>.yaml`. */
  readonly config: string | undefined;
}

/** For the user to fix. */
export interface Problem {
  readonly problem: string;
}

/** Common options of commands about an environment. */
export const ENVIRONMENT_OPTIONS = {
  config: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Result of `parseArgs`, including the options above. */
interface ParsedCommand<V> {
  readonly values: V;
  readonly positionals: readonly string[];
}

/**
 * @param parse with `ENVIRONMENT_OPTIONS` and the command's own; if it throws, that is a problem.
 * @param ownArguments of the command, from its options.
 */
export function environmentArguments<V extends { readonly help: boolean; readonly config?: string }, A extends object>(
  parse: () => ParsedCommand<V>,
  ownArguments: (values: V) => A | Problem,
): (A & EnvironmentArguments) | Problem | "help" {
  try {
    const { values, positionals } = parse();
    const [named, ...rest] = positionals;
    if (values.help) {
      return "help";
    }
    if (rest.length > 0) {
      return { problem: `name one environment, not ${positionals.length}: ${positionals.join(", ")}` };
    }
    const environment = named ?? (values.config === undefined ? undefined : environmentNameOf(values.config));
    if (environment === undefined) {
      return { problem: `name one environment: ${environmentNames().join(", ")}` };
    }
    const own = ownArguments(values);
    return "problem" in own ? own : { ...own, environment, config: values.config };
  } catch (error) {
    return { problem: lineOf(error) };
  }
}

/** `Pulumi.<name>.yaml` is the file of `<name>`; other files give their own name. */
function environmentNameOf(file: string): string {
  const name = basename(file).replace(/\.[^.]*$/, "");
  return name.replace(/^Pulumi\./, "").replace(/[^\w.-]+/g, "-") || "environment";
}

/** A valid environment, with its file's name in `baseDirectory`. */
export interface OpenedEnvironment extends OfflineEnvironment {
  readonly file: Extract<ParsedEnvironmentFile, { readonly ok: true }>;
  readonly fileName: string;
}

/** Arguments and environment, or the final exit status. */
export type Opening<A> = { readonly args: A; readonly environment: OpenedEnvironment } | { readonly status: number };

/** Start of every command about an environment: handles help and mistakes, and reads the file. */
export function openEnvironment<A extends EnvironmentArguments>(
  args: A | Problem | "help",
  usage: string,
  io: CommandIo,
): Opening<A> {
  if (args === "help") {
    io.out(usage);
    return { status: EXIT.ok };
  }
  if ("problem" in args) {
    io.err(`${args.problem}\n\n${usage}`);
    return { status: EXIT.badInput };
  }
  const environment = readEnvironment(args);
  if ("problem" in environment) {
    io.err(`${environment.problem}\n`);
    return { status: EXIT.badInput };
  }
  io.err(importsNote(environment));
  return { args, environment };
}

/** Note on missing values; empty without any. */
export function importsNote({ fileName, file: { imports } }: OpenedEnvironment): string {
  return imports.length === 0
    ? ""
    : `${fileName} imports ${imports.join(", ")} from Pulumi ESC, which only Pulumi opens: their values are missing here\n`;
}

/** A valid environment, or the user's mistakes. */
export function environmentNamed(name: string | undefined): OpenedEnvironment | Problem {
  return name === undefined
    ? { problem: `name one environment: ${environmentNames().join(", ")}` }
    : readEnvironment({ environment: name, config: undefined });
}

/** Pulumi's stack names. */
const STACK_NAME = /^[\w.-]{1,100}$/;

function readEnvironment({ environment, config }: EnvironmentArguments): OpenedEnvironment | Problem {
  if (!STACK_NAME.test(environment)) {
    const asFile = environment.includes("/") ? `; a file is read with --config ${environment}` : "";
    return {
      problem: `${JSON.stringify(environment)} cannot be the name of an environment: use letters, digits, ".", "_" and "-", at most 100${asFile}`,
    };
  }
  const found = config === undefined ? environmentFile(environment) : { file: resolve(config) };
  if ("problem" in found) {
    return found;
  }
  const text = readText(found.file);
  if (typeof text !== "string") {
    return text;
  }
  const parsed = parseEnvironmentFile(text);
  const fileName = basename(found.file);
  return parsed.ok
    ? { name: environment, file: parsed, fileName, baseDirectory: dirname(found.file) }
    : { problem: formatProblems(parsed.problems, fileName) };
}

function readText(file: string): string | Problem {
  try {
    return readTextFile(file);
  } catch (error) {
    return { problem: `cannot read ${file}: it ${lineOf(error)}` };
  }
}
