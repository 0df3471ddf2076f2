/** `npm run render -- --all`: every environment of the repository, each into its own folder. */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  assertReplaceable,
  type FolderChanges,
  FolderRefusedError,
  recoverFolders,
  renderedEnvironments,
  renderedPlan,
  replaceFolders,
} from "../../render/folder";
import { type Rendering, renderEnvironment } from "../../render/index";
import { NothingToRenderError, RenderRefusedError } from "../../render/refusal";
import type { PlanDigest } from "../../report/plan-digest";
import { isUserMistake } from "../../stacks/program";
import { environmentNames } from "../environments";
import { type CommandIo, EXIT, isFileSystemError, lineOf, whyUnwritable } from "../io";
import { Progress } from "../progress";
import { environmentNamed, importsNote, type OpenedEnvironment, type Problem } from "../read-environment";
import { readOutputs } from "./outputs";
import { pullRequestText } from "./pull-request";
import { allJson, allText } from "./summary";

export interface AllArguments {
  readonly all: true;
  /** Parent of the environments' folders. */
  readonly out: string;
  /** Folder with `<environment>.json` per stack with a cluster. */
  readonly outputs: string | undefined;
  readonly secretStore: string;
  /** File for a pull request's text. */
  readonly report: string | undefined;
  readonly json: boolean;
}

/** An environment's folder and its new content. */
export interface RenderedEnvironment {
  readonly name: string;
  readonly folder: string;
  readonly rendering: Rendering;
  /** Of the folder's previous rendering. */
  readonly before: PlanDigest | undefined;
  readonly changes: FolderChanges;
}

export interface RenderedAll {
  readonly environments: readonly RenderedEnvironment[];
  /** Environments without a folder. */
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
  /** Folders of removed environments. */
  readonly removed: readonly string[];
}

export interface EnvironmentSource {
  readonly names: () => readonly string[];
  readonly open: (name: string) => OpenedEnvironment | Problem;
  readonly render: typeof renderEnvironment;
}

/** All or nothing. Returns the exit status. */
export async function renderAll(
  args: AllArguments,
  io: CommandIo,
  source: EnvironmentSource = { names: environmentNames, open: environmentNamed, render: renderEnvironment },
): Promise<number> {
  const out = resolve(args.out);
  const progress = new Progress(io, "rendering");
  const names = source.names();
  if (names.length === 0) {
    io.err("there is no Pulumi.<name>.yaml: nothing is rendered, and no folder is removed\n");
    return EXIT.badInput;
  }
  const unwritable = args.report === undefined ? undefined : whyUnwritable("the report", args.report);
  if (unwritable !== undefined) {
    io.err(`${unwritable}\n`);
    return EXIT.badInput;
  }
  const problems: { readonly name: string; readonly text: string; readonly status: number }[] = [];
  const made: Omit<RenderedEnvironment, "changes">[] = [];
  const skipped: { name: string; why: string }[] = [];
  try {
    recoverFolders(out);
    for (const [index, name] of names.entries()) {
      const doing = `${index + 1} of ${names.length}: ${name}`;
      progress.update(doing);
      const onResource = (count: number) => progress.update(`${doing} · ${count} resources`);
      const outcome = await rendered(source.open(name), join(out, name), args, io, (environment, options) =>
        source.render(environment, { ...options, onResource }),
      );
      if ("text" in outcome) {
        problems.push({ name, ...outcome });
      } else if ("skipped" in outcome) {
        skipped.push({ name, why: outcome.skipped });
      } else {
        made.push({ name, folder: join(out, name), before: renderedPlan(join(out, name)), rendering: outcome });
      }
    }
    problems.push(...placeProblems(made));
    const removed = renderedEnvironments(out).filter((name) => !names.includes(name));
    for (const name of removed) {
      const problem = refusalOf(join(out, name), name);
      problems.push(...(problem === undefined ? [] : [{ name, text: problem, status: EXIT.badInput }]));
    }
    progress.stop();
    if (problems.length > 0) {
      io.err(problemsText(problems));
      return Math.max(...problems.map(({ status }) => status));
    }
    const changes = replaceFolders(
      made.map(({ name: environment, folder, rendering: { files, plan } }) => ({ environment, folder, files, plan })),
      removed.map((name) => join(out, name)),
    );
    const environments = made.map((each, i) => ({ ...each, changes: changes[i] ?? NO_CHANGES }));
    const all: RenderedAll = { environments, skipped, removed };
    if (args.report !== undefined) {
      writeFileSync(resolve(args.report), pullRequestText(all));
    }
    io.out(args.json ? allJson(args, out, all) : allText(args, all));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof FolderRefusedError || isFileSystemError(error)) {
      io.err(`cannot write: ${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  } finally {
    progress.stop();
  }
}

/** Folders that no Argo CD, or two, would read. */
function placeProblems(made: readonly Pick<RenderedEnvironment, "name" | "rendering">[]) {
  const placeOf = ({ repository, revision, path }: NonNullable<Rendering["gitops"]>) =>
    `${path} of ${repository} at ${revision}`;
  return made.flatMap(({ name, rendering: { gitops } }) => {
    if (gitops === undefined) {
      return [];
    }
    const other = made.find((each) => {
      const theirs = each.rendering.gitops;
      return each.name !== name && theirs !== undefined && placeOf(theirs) === placeOf(gitops);
    });
    const isElsewhere = gitops.path.split("/").at(-1) !== name;
    const fault = other
      ? `${other.name} has the same place, ${placeOf(gitops)}: two clusters would run one of both`
      : `${gitops.path} is not the folder that --all writes, ${name}: Argo CD would not read it`;
    return other || isElsewhere
      ? [{ name, text: `✗ gitops.path\n  ${fault}. Write a path that ends in /${name}.`, status: EXIT.refused }]
      : [];
  });
}

const NO_CHANGES: FolderChanges = { added: [], changed: [], removed: [], unchanged: [] };

type Outcome = Rendering | { readonly skipped: string } | { readonly text: string; readonly status: number };

async function rendered(
  environment: OpenedEnvironment | Problem,
  folder: string,
  { outputs, secretStore }: AllArguments,
  io: CommandIo,
  render: typeof renderEnvironment,
): Promise<Outcome> {
  const bad = (text: string) => ({ text, status: EXIT.badInput });
  if ("problem" in environment) {
    return bad(environment.problem);
  }
  const refusal = refusalOf(folder, environment.name);
  if (refusal !== undefined) {
    return bad(refusal);
  }
  const given = outputs === undefined ? undefined : outputsIn(outputs, environment);
  if (given && "problem" in given) {
    return bad(given.problem);
  }
  io.err(importsNote(environment));
  try {
    const clusterOutputs = given && { clusterOutputs: given };
    return await render(environment, { secretStore, ...clusterOutputs });
  } catch (error) {
    if (error instanceof NothingToRenderError) {
      return { skipped: error.reasons.map((reason) => reason.replace(/^✗ .*\n\s*/, "")).join("; ") };
    }
    if (error instanceof RenderRefusedError) {
      return { text: error.reasons.join("\n"), status: EXIT.refused };
    }
    if (isUserMistake(error)) {
      return bad(error.message);
    }
    throw error;
  }
}

/** Outputs of the cluster's stack, if in the folder. */
function outputsIn(folder: string, environment: OpenedEnvironment) {
  const file = join(folder, `${environment.name}.json`);
  return existsSync(file) ? readOutputs(file, environment) : undefined;
}

function refusalOf(folder: string, name: string): string | undefined {
  try {
    assertReplaceable(folder, name);
    return undefined;
  } catch (error) {
    if (error instanceof FolderRefusedError) {
      return error.message;
    }
    if (isFileSystemError(error)) {
      return `cannot write ${folder}: ${lineOf(error)}`;
    }
    throw error;
  }
}

function problemsText(problems: readonly { readonly name: string; readonly text: string }[]): string {
  const blocks = problems.map(({ name, text }) => `${name}\n${text.trimEnd()}\n`);
  return `Nothing was written: ${problems.length} of the environments cannot be rendered.\n\n${blocks.join("\n")}`;
}
