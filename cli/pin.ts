/** `npm run pin`: fixes the revisions of an environment's Hugging Face models, so that a plan names the same bytes for ever. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table } from "../report/style";
import { modelSource } from "../stacks/plan-request";
import { type CommandIo, EXIT, isFileSystemError } from "./io";
import { commitOf, HubError, hubOf } from "./pin/hub";
import { UnwritableError, withSource } from "./pin/write-source";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";

const USAGE = `Usage: npm run pin -- <environment> [options]

Asks the hub for the commit that each Hugging Face source is at now, and writes it into the environment's file as
source: hf://organization/name@<commit>. Only sources on "main", or without a revision, are asked for. Comments stay.

  --dry-run       only say what would be written
  --config FILE   change this file instead of Pulumi.<environment>.yaml
  --json          machine-readable
  -h, --help      this text

HF_ENDPOINT names another hub, HF_TOKEN a token for private models.
Exit status: 0 pinned, or nothing to pin; 1 the hub did not tell, and nothing was written; 2 bad input.
`;

export const options = { ...ENVIRONMENT_OPTIONS, "dry-run": { type: "boolean", default: false } } as const;

/** A Hugging Face source of an environment. */
interface Source {
  readonly model: string;
  readonly repository: string;
  readonly revision: string;
}

/** `npm run pin`. */
export async function main(argv: string[], io: CommandIo, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const { models } = environment.file.environment;
  const sources = Object.entries(models).flatMap(([model, config]): Source[] => {
    const source = modelSource(model, config);
    return source.kind === "huggingface" ? [{ model, ...source }] : [];
  });
  const moving = sources.filter(({ revision }) => revision === "main");
  try {
    const commits = await commitsOf(moving, env);
    const path = join(environment.baseDirectory, environment.fileName);
    const text = moving.reduce(
      (written, { model, repository }) => withSource(written, model, `hf://${repository}@${commits.get(repository)}`),
      readFileSync(path, "utf8"),
    );
    if (!args.dryRun && moving.length > 0) {
      writeFileSync(path, text);
    }
    const rows = sources.map((source) => ({ ...source, commit: commits.get(source.repository) }));
    io.out(args.json ? json(args, environment.fileName, rows) : report(args, environment.fileName, rows));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof HubError || error instanceof UnwritableError || isFileSystemError(error)) {
      io.err(`${error.message}\nnothing was written\n`);
      return isFileSystemError(error) ? EXIT.badInput : EXIT.refused;
    }
    throw error;
  }
}

/** The commit of each repository, asked once; every refusal in one error. */
async function commitsOf(sources: readonly Source[], env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>> {
  if (sources.length === 0) {
    return new Map();
  }
  const hub = hubOf(env);
  const repositories = [...new Set(sources.map(({ repository }) => repository))];
  const answers = await Promise.allSettled(
    repositories.map(async (repository) => [repository, await commitOf(hub, repository, "main")] as const),
  );
  const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
  const [unexpected] = refusals.filter((reason) => !(reason instanceof HubError));
  if (unexpected !== undefined) {
    throw unexpected;
  }
  if (refusals.length > 0) {
    throw new HubError([...new Set(refusals.map((reason) => (reason as HubError).message))].join("\n"));
  }
  return new Map(answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])));
}

interface Row extends Source {
  /** What `main` is now; undefined for what was not asked. */
  readonly commit: string | undefined;
}

function report({ environment, dryRun }: Arguments, file: string, rows: readonly Row[]): string {
  const lines = rows.map(({ model, repository, revision, commit }) => [
    model,
    repository,
    revision === "main" && commit ? `main → ${commit}` : `${revision}: left as it is`,
  ]);
  const pinned = rows.filter(({ revision }) => revision === "main").length;
  if (pinned === 0) {
    return `${table(lines)}nothing to pin in ${file}\n`;
  }
  const done = dryRun ? `would pin ${pinned} in ${file}` : `pinned ${pinned} in ${file}`;
  return `${table(lines)}${done}\n${dryRun ? "" : `\nNext: npm run plan -- ${environment}, then commit the file\n`}`;
}

function json({ environment, dryRun }: Arguments, file: string, rows: readonly Row[]): string {
  const sources = rows.map(({ model, repository, revision, commit }) => ({
    model,
    repository,
    revision,
    pinnedTo: revision === "main" ? commit : null,
  }));
  return `${JSON.stringify({ environment, file, written: !dryRun && sources.some(({ pinnedTo }) => pinnedTo), sources }, undefined, 2)}\n`;
}

interface Arguments extends EnvironmentArguments {
  readonly dryRun: boolean;
  readonly json: boolean;
}

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ json, "dry-run": dryRun }) => ({ json, dryRun }),
  );
}
