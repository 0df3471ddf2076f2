import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { GivenOutput } from "../offline/environment";
import { assertReplaceable, type FolderChanges, FolderRefusedError, replaceFolder } from "../render/folder";
import { type Rendering, renderEnvironment } from "../render/index";
import { leftOutText } from "../render/left-out";
import { RenderRefusedError } from "../render/refusal";
import { CLUSTER_OUTPUT } from "../stacks/cluster-outputs";
import { readTextFile } from "../stacks/config";
import { isUserMistake } from "../stacks/program";
import { type CommandIo, EXIT, isFileSystemError, lineOf } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  type OpenedEnvironment,
  openEnvironment,
  type Problem,
} from "./read-environment";

const USAGE = `Usage: npm run render -- <environment> --out DIR [options]

Writes the Kubernetes objects of an environment as YAML for GitOps: one folder per namespace, charts as Argo CD
Applications, no secret value. The same environment gives the same bytes. Nothing is written unless all is.

  --out DIR             folder to write, empty or rendered before from the same environment
  --config FILE         read this file instead of Pulumi.<environment>.yaml
  --outputs FILE        what "pulumi stack output --json" prints for the stack that made the cluster
  --secret-store NAME   ClusterSecretStore of External Secrets with the secret values (default: inference-secrets)
  --json                machine-readable summary
  --help                this text

Exit status: 0 written, 1 forbidden by a capacity rule or policy, 2 bad input.
`;

/** `npm run render`. */
export async function main(argv: string[], io: CommandIo): Promise<number> {
  const opening = openEnvironment(readArguments(argv), USAGE, io);
  if ("status" in opening) {
    return opening.status;
  }
  const { args, environment } = opening;
  const folder = resolve(args.out);
  const progress = new Progress(io, `rendering ${args.environment}`);
  try {
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
    const changes = replaceFolder(folder, args.environment, rendering.files);
    io.out(args.json ? jsonSummary(args, folder, rendering, changes) : summary(args, rendering, changes));
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
  /** File with the outputs of the stack that made the cluster. */
  readonly outputs: string | undefined;
  readonly secretStore: string;
  readonly json: boolean;
}

/** Names of Kubernetes objects: RFC 1123 subdomains. */
const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  out: { type: "string" },
  outputs: { type: "string" },
  "secret-store": { type: "string", default: "inference-secrets" },
} as const;

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ out, outputs, json, "secret-store": secretStore }) => {
      if (!out) {
        return { problem: "--out DIR is missing: name the folder to write, for example --out ../gitops/dev" };
      }
      if (!OBJECT_NAME.test(secretStore)) {
        return { problem: `--secret-store ${JSON.stringify(secretStore)} cannot be the name of a ClusterSecretStore` };
      }
      return { out, outputs, secretStore, json };
    },
  );
}

/** What the stack that made the cluster says of it, from a file of its outputs. */
function readOutputs(file: string, { file: { environment } }: OpenedEnvironment): GivenOutput | Problem {
  const { provision } = environment.cluster;
  if (provision === "existing") {
    return { problem: "--outputs FILE: with cluster.provision: existing no stack made the cluster; leave it out" };
  }
  try {
    const outputs: unknown = JSON.parse(readTextFile(resolve(file)));
    if (typeof outputs !== "object" || outputs === null || Array.isArray(outputs)) {
      return { problem: `${file} holds no outputs: it must be what "pulumi stack output --json" prints` };
    }
    return { said: file, value: (outputs as Readonly<Record<string, unknown>>)[CLUSTER_OUTPUT] };
  } catch (error) {
    return { problem: `cannot read the outputs in ${file}: ${lineOf(error)}` };
  }
}

function summary(
  { environment, out, secretStore }: Arguments,
  { manifests, secrets, advice, leftOut, gitops }: Rendering,
  { added, changed, removed, unchanged }: FolderChanges,
): string {
  const charts = manifests.filter(({ object }) => object.kind === "Application").length;
  const waves = new Set(manifests.map(({ wave }) => wave)).size;
  return `inference-stacks · ${environment} · rendered to ${out}

Objects    ${manifests.length} in ${waves} sync waves, ${charts} of them charts as Argo CD Applications
Files      ${added.length} added · ${changed.length} changed · ${removed.length} removed · ${unchanged.length} unchanged
Secrets    ${gitops ? "none here: `pulumi up` makes them" : `${secrets.length} values to keep in the ClusterSecretStore "${secretStore}": ${out}/SECRETS.md`}
${leftOut.map((object) => `\n! ${leftOutText(object)}\n`).join("")}${advice.map(({ policy, resource, message }) => `\n! ${policy} ${resource}\n  ${message}\n`).join("")}
Next: ${gitops ? `commit the folder as ${gitops.path} of ${gitops.repository}; Argo CD applies it from ${gitops.revision}` : "commit the folder and point an Argo CD Application at it"} (docs/gitops.md)
`;
}

function jsonSummary(
  { environment, secretStore }: Arguments,
  folder: string,
  { manifests, secrets, advice, leftOut }: Rendering,
  files: FolderChanges,
): string {
  const objects = manifests.map(({ object: { apiVersion, kind, metadata }, wave }) => {
    return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, wave };
  });
  return `${JSON.stringify({ environment, out: folder, secretStore, files, objects, leftOut, secrets, advice }, undefined, 2)}\n`;
}
