import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  assertReplaceable,
  type FolderChanges,
  FolderRefusedError,
  recoverFolders,
  replaceFolders,
} from "../render/folder";
import { type Rendering, renderEnvironment } from "../render/index";
import { leftOutText } from "../render/left-out";
import { RenderRefusedError } from "../render/refusal";
import { shortResource } from "../report/short-resource";
import { isUserMistake } from "../stacks/program";
import { type CommandIo, EXIT, isFileSystemError, lineOf } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";
import { type AllArguments, renderAll } from "./render/all";
import { readOutputs } from "./render/outputs";
import { filesText, renderingJson } from "./render/summary";

const USAGE = `Usage: npm run render -- <environment> --out DIR [options], or: npm run render -- --all --out DIR [options]

Writes the Kubernetes objects of an environment as YAML for GitOps: one folder per namespace, charts as Argo CD
Applications, no secret value. The same environment gives the same bytes. Nothing is written unless all is.

  --out DIR             folder to write, empty or rendered before from the same environment; with --all the folder of these
  --all                 every environment, each into a folder of its name: all are written, or none; what was rendered from an
                        environment that is gone is removed
  --report FILE         with --all: write what changes as Markdown, for a pull request
  --config FILE         read this file instead of Pulumi.<environment>.yaml
  --outputs FILE        what "pulumi stack output --json" prints for the stack that made the cluster; with --all a folder of
                        such files, <environment>.json
  --secret-store NAME   ClusterSecretStore of External Secrets with the secret values (default: inference-secrets);
                        without effect with gitops
  --json                machine-readable summary
  --help                this text

Exit status: 0 written, 1 forbidden by a capacity rule or policy, 2 bad input. With --all the highest of all environments.
`;

export async function main(argv: string[], io: CommandIo): Promise<number> {
  const given = readArguments(argv);
  if (given !== "help" && "all" in given) {
    return renderAll(given, io);
  }
  const opening = openEnvironment(given, USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const folder = resolve(args.out);
  const progress = new Progress(io, `rendering ${args.environment}`);
  try {
    recoverFolders(dirname(folder), [basename(folder)]);
    assertReplaceable(folder, args.environment);
    const outputs = args.outputs === undefined ? undefined : readOutputs(args.outputs, environment);
    if (outputs && "problem" in outputs) {
      io.err(`${outputs.problem}\n`);
      return EXIT.badInput;
    }
    const rendering = await renderEnvironment(environment, {
      secretStore: args.secretStore,
      ...(outputs && { clusterOutputs: outputs }),
      onResource: (count) => progress.update(`${count} resources`),
    });
    const { files, plan } = rendering;
    if (rendering.gitops && args.secretStore !== DEFAULT_STORE) {
      io.err(`--secret-store ${args.secretStore} is not used: with gitops, pulumi up makes the Secrets\n`);
    }
    const [changes] = replaceFolders([{ folder, environment: args.environment, files, plan }]);
    if (changes !== undefined) {
      const json = renderingJson(args.environment, folder, args.secretStore, rendering, changes);
      io.out(args.json ? `${JSON.stringify(json, undefined, 2)}\n` : summary(args, rendering, changes));
    }
    return EXIT.ok;
  } catch (error) {
    if (error instanceof RenderRefusedError) {
      io.err(`${args.environment} cannot be rendered; nothing was written:\n${error.reasons.join("\n")}\n`);
      return EXIT.refused;
    }
    if (isUserMistake(error) || error instanceof FolderRefusedError) {
      io.err(`${error.message}\n`);
      return EXIT.badInput;
    }
    if (isFileSystemError(error)) {
      io.err(`cannot write ${args.out}: ${error.message}\n`);
      return EXIT.badInput;
    }
    throw error;
  } finally {
    progress.stop();
  }
}

interface Arguments extends EnvironmentArguments {
  readonly out: string;
  /** Stack outputs of the cluster. */
  readonly outputs: string | undefined;
  readonly secretStore: string;
  readonly json: boolean;
}

const DEFAULT_STORE = "inference-secrets";

/** Names of Kubernetes objects: RFC 1123 subdomains. */
const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  all: { type: "boolean", default: false },
  report: { type: "string" },
  out: { type: "string" },
  outputs: { type: "string" },
  "secret-store": { type: "string", default: DEFAULT_STORE },
} as const;

function readArguments(argv: string[]): Arguments | AllArguments | Problem | "help" {
  const parse = () => parseArgs({ args: argv, allowPositionals: true, options });
  return argv.includes("--all")
    ? allArguments(parse)
    : environmentArguments(parse, ({ report, ...values }) =>
        report === undefined
          ? ownArguments(values)
          : { problem: "--report FILE is for --all: render writes it of all" },
      );
}

type Values = ReturnType<typeof parseArgs<{ readonly options: typeof options }>>["values"];

function ownArguments({
  out,
  outputs,
  json,
  "secret-store": secretStore,
}: Omit<Values, "report">): Omit<Arguments, keyof EnvironmentArguments> | Problem {
  if (!out) {
    return { problem: "--out DIR is missing: name the folder to write, for example --out ../gitops/dev" };
  }
  if (!OBJECT_NAME.test(secretStore)) {
    return { problem: `--secret-store ${JSON.stringify(secretStore)} cannot be the name of a ClusterSecretStore` };
  }
  return { out, outputs, secretStore, json };
}

/** @param parse the command line; if it throws, that is a problem. */
function allArguments(
  parse: () => { readonly values: Values; readonly positionals: readonly string[] },
): AllArguments | Problem | "help" {
  try {
    const { values, positionals } = parse();
    if (values.help) {
      return "help";
    }
    if (positionals.length > 0 || values.config !== undefined) {
      return { problem: "--all takes every environment: name none, and no --config" };
    }
    const own = ownArguments(values);
    return "problem" in own ? own : { all: true, ...own, report: values.report };
  } catch (error) {
    return { problem: lineOf(error) };
  }
}

function summary(
  { environment, out, secretStore }: Arguments,
  { manifests, secrets, advice, leftOut, gitops }: Rendering,
  changes: FolderChanges,
): string {
  const charts = manifests.filter(({ object }) => object.kind === "Application").length;
  const waves = new Set(manifests.map(({ wave }) => wave)).size;
  return `inference-stacks · ${environment} · rendered to ${out}

Objects    ${manifests.length} in ${waves} sync waves, ${charts} of them charts as Argo CD Applications
Files      ${filesText(changes)}
Secrets    ${gitops ? "none here: `pulumi up` makes them" : `${secrets.length} values to keep in the ClusterSecretStore "${secretStore}": ${out}/SECRETS.md`}
${leftOut.map((object) => `\n! ${leftOutText(object)}\n`).join("")}${advice.map(({ policy, resource, message }) => `\n! ${policy} ${shortResource(resource)}\n  ${message}\n`).join("")}
Next: ${gitops ? `commit the folder as ${gitops.path} of ${gitops.repository}; Argo CD applies it from ${gitops.revision}` : "commit the folder and point an Argo CD Application at it"} (docs/gitops.md)
`;
}
