/** `npm run pin`: fixes the revisions of an environment's models, so that a plan names the same bytes for ever. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table } from "../report/style";
import { concurrently } from "../stacks/checkpoint/concurrently";
import { readAuthorities, sourceAuthorities } from "../stacks/config";
import { hubFolder } from "../stacks/config/core/hub-model";
import { ConfigError } from "../stacks/config/core/problems";
import { type CommandIo, EXIT, isFileSystemError } from "./io";
import { compareCatalogue } from "./pin/catalogue";
import { commitOf, HUB_CONCURRENCY, type Hub, HubError, hubOf } from "./pin/hub";
import { type Description, describe, isKept, keep } from "./pin/keep-description";
import { type Compared, comparePublished, differenceLines, isDifferent } from "./pin/published";
import { digestOf } from "./pin/registry";
import { fixedText, isFixed, type Source, sourcesOf } from "./pin/sources";
import { UnwritableError, withSource } from "./pin/write-source";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";

const USAGE = `Usage: npm run pin -- <environment> [options]
       npm run pin -- --catalogue [--json]

Asks the hub for the commit that each Hugging Face source of a model or an adapter is at now, and writes it into the
environment's file as source: hf://organization/name@<commit>. Sources that name a commit stay as they are. Comments stay.
Of source: oci://registry/repository:tag it asks the registry, with the login that docker login wrote, and adds the digest.
Of model: hf://organization/name it also keeps config.json and the headers of the weight files, in models/hf next to the
environment's file: plans count by them, without the network. Commit that folder.
Of a model of the catalogue it reads the published config.json too, and says where the catalogue counts something else.

  --catalogue     compare every model of the catalogue with its repository; writes nothing
  --dry-run       only say what would be written
  --config FILE   change this file instead of Pulumi.<environment>.yaml
  --json          machine-readable
  -h, --help      this text

It asks the hub of storage.hub; HF_ENDPOINT names another. HF_TOKEN is a token for private models.
Exit status: 0 pinned, or nothing to pin; 1 the hub or a registry did not answer, and nothing was written, or a published config.json
differs from the catalogue's; 2 bad input.
`;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  catalogue: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
} as const;

/** `npm run pin`. */
export async function main(
  argv: string[],
  io: CommandIo,
  env: NodeJS.ProcessEnv = process.env,
  askRegistry: typeof digestOf = digestOf,
): Promise<number> {
  if (argv.includes("--catalogue")) {
    return compareCatalogue(argv, io, env);
  }
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const sources = sourcesOf(environment.file.environment.models);
  const moving = sources.filter((source) => !isFixed(source));
  try {
    const hub = hubOf(env, environment.file.environment.storage.hub?.url);
    const authorities = moving.some(({ artifact }) => artifact)
      ? readAuthorities(environment.file.environment, environment.baseDirectory)
      : new Map<string, string>();
    const commits = await commitsOf(moving, ({ artifact, repository, revision }) =>
      artifact
        ? askRegistry({
            source: artifact,
            authorities: authorities.get(sourceAuthorities("registries", artifact.registry)),
            env,
          })
        : commitOf(hub, repository, revision),
    );
    const path = join(environment.baseDirectory, environment.fileName);
    const text = moving.reduce(
      (written, source) =>
        withSource(written, source.place, fixedText(source, commits.get(keyOf(source)) ?? ""), source.key),
      readFileSync(path, "utf8"),
    );
    const descriptions = await describeMissing(sources, commits, environment.baseDirectory, hub);
    if (!args.dryRun) {
      for (const { repository, commit, description } of descriptions) {
        keep(environment.baseDirectory, repository, commit, description);
      }
    }
    if (!args.dryRun && moving.length > 0) {
      writeFileSync(path, text);
    }
    const rows = sources.map((source) => ({ ...source, commit: commits.get(keyOf(source)) }));
    const compared = await comparedWith(rows, hub);
    const pinned: Pinned = { file: environment.fileName, rows, descriptions, compared };
    io.out(args.json ? json(args, pinned) : report(args, pinned));
    const different = compared.filter(isDifferent);
    if (different.length === 0) {
      return EXIT.ok;
    }
    const lines = different.flatMap(differenceLines);
    const fix = "plans count by the catalogue: give config: with the published config.json in place of model";
    io.err(`${[...lines, fix].join("\n")}\n`);
    return EXIT.refused;
  } catch (error) {
    if (
      error instanceof HubError ||
      error instanceof ConfigError ||
      error instanceof UnwritableError ||
      isFileSystemError(error)
    ) {
      io.err(`${error.message}\nnothing was written\n`);
      return isFileSystemError(error) ? EXIT.badInput : EXIT.refused;
    }
    throw error;
  }
}

interface Described {
  readonly repository: string;
  readonly commit: string;
  readonly description: Description;
}

/** Missing descriptions, one per repository and commit. */
async function describeMissing(
  sources: readonly Source[],
  commits: ReadonlyMap<string, string>,
  baseDirectory: string,
  hub: Hub,
): Promise<Described[]> {
  const wanted = new Map(
    sources
      .filter(({ describes }) => describes)
      .map((source) => ({ repository: source.repository, commit: commits.get(keyOf(source)) ?? source.revision }))
      .map((each) => [`${each.repository}@${each.commit}`, each] as const),
  );
  const missing = [...wanted.values()].filter(({ repository, commit }) => !isKept(baseDirectory, repository, commit));
  return concurrently(HUB_CONCURRENCY, missing, async ({ repository, commit }) => ({
    repository,
    commit,
    description: await describe(hub, repository, commit),
  }));
}

/** One question to the hub or a registry: several models may ask it. */
function keyOf({ artifact, repository, revision }: Source): string {
  return `${artifact ? "oci" : "hf"}://${repository}@${revision}`;
}

/** The commit of each revision by its key, asked once; every refusal in one error. */
async function commitsOf(
  sources: readonly Source[],
  ask: (source: Source) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const questions = new Map(sources.map((source) => [keyOf(source), source]));
  const answers = await Promise.allSettled(
    [...questions].map(async ([key, source]) => [key, await ask(source)] as const),
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

/** Catalogue models, each once, whose commit was requested now. */
async function comparedWith(rows: readonly Row[], hub: Hub): Promise<Compared[]> {
  const asked = new Map(
    rows.flatMap(({ entry, commit }) => (entry && commit ? [[entry.name, { entry, commit }] as const] : [])),
  );
  return concurrently(HUB_CONCURRENCY, [...asked.values()], async ({ entry, commit }) => ({
    entry,
    comparison: await comparePublished(hub, entry, commit),
  }));
}

interface Row extends Source {
  /** Current revision; undefined if not requested. */
  readonly commit: string | undefined;
}

interface Pinned {
  readonly file: string;
  readonly rows: readonly Row[];
  readonly descriptions: readonly Described[];
  readonly compared: readonly Compared[];
}

function report({ environment, dryRun }: Arguments, { file, rows, descriptions }: Pinned): string {
  const lines = rows.map(({ model, adapter, repository, revision, commit }) => [
    adapter === undefined ? model : `${model}.adapters.${adapter}`,
    repository,
    commit ? `${revision} → ${commit}` : `${revision}: left as it is`,
  ]);
  const kept = descriptions
    .map(({ repository, commit, description }) => {
      const folder = hubFolder({ repository, revision: commit });
      return `${dryRun ? "would keep" : "kept"} ${folder}: ${[...description.keys()].join(", ")}\n`;
    })
    .join("");
  const pinned = rows.filter(({ commit }) => commit).length;
  if (pinned === 0 && descriptions.length === 0) {
    return `${table(lines)}nothing to pin in ${file}\n`;
  }
  const done = dryRun ? `would pin ${pinned} in ${file}` : `pinned ${pinned} in ${file}`;
  const commit = descriptions.length === 0 ? "the file" : "the file and models/hf";
  return `${table(lines)}${kept}${done}\n${dryRun ? "" : `\nNext: npm run plan -- ${environment}, then commit ${commit}\n`}`;
}

function json({ environment, dryRun }: Arguments, { file, rows, descriptions, compared }: Pinned): string {
  const sources = rows.map(({ model, adapter, repository, revision, commit }) => ({
    model,
    ...(adapter !== undefined && { adapter }),
    repository,
    revision,
    pinnedTo: commit ?? null,
  }));
  const written = !dryRun && (descriptions.length > 0 || sources.some(({ pinnedTo }) => pinnedTo));
  const kept = descriptions.map(({ repository, commit, description }) => ({
    folder: hubFolder({ repository, revision: commit }),
    files: [...description.keys()],
  }));
  const catalogue = compared.map(({ entry, comparison }) => ({ model: entry.name, ...comparison }));
  return `${JSON.stringify({ environment, file, written, sources, kept, catalogue }, undefined, 2)}\n`;
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
