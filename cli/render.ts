import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { assertReplaceable, type FolderChanges, FolderRefusedError, replaceFolder } from "../render/folder";
import { type Rendering, renderEnvironment } from "../render/index";
import { RenderRefusedError } from "../render/refusal";
import { isUserMistake } from "../stacks/program";
import { type CommandIo, EXIT, isFileSystemError } from "./io";
import { Progress } from "./progress";
import {
  ENVIRONMENT_OPTIONS,
  type EnvironmentArguments,
  environmentArguments,
  openEnvironment,
  type Problem,
} from "./read-environment";

const USAGE = `Usage: npm run render -- <environment> --out DIR [options]

Writes the Kubernetes objects of an environment as YAML for GitOps: one folder per namespace, charts as Argo CD
Applications, no secret value. The same environment gives the same bytes. Nothing is written unless all is.

  --out DIR             folder to write, empty or rendered before from the same environment
  --config FILE         read this file instead of Pulumi.<environment>.yaml
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
    const rendering = await renderEnvironment(environment, {
      secretStore: args.secretStore,
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
  readonly secretStore: string;
  readonly json: boolean;
}

/** Names of Kubernetes objects: RFC 1123 subdomains. */
const OBJECT_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export const options = {
  ...ENVIRONMENT_OPTIONS,
  out: { type: "string" },
  "secret-store": { type: "string", default: "inference-secrets" },
} as const;

function readArguments(argv: string[]): Arguments | Problem | "help" {
  return environmentArguments(
    () => parseArgs({ args: argv, allowPositionals: true, options }),
    ({ out, json, "secret-store": secretStore }) => {
      if (!out) {
        return { problem: "--out DIR is missing: name the folder to write, for example --out ../gitops/dev" };
      }
      if (!OBJECT_NAME.test(secretStore)) {
        return { problem: `--secret-store ${JSON.stringify(secretStore)} cannot be the name of a ClusterSecretStore` };
      }
      return { out, secretStore, json };
    },
  );
}

function summary(
  { environment, out, secretStore }: Arguments,
  { manifests, secrets, advice }: Rendering,
  { added, changed, removed, unchanged }: FolderChanges,
): string {
  const charts = manifests.filter(({ object }) => object.kind === "Application").length;
  const waves = new Set(manifests.map(({ wave }) => wave)).size;
  return `inference-stacks · ${environment} · rendered to ${out}

Objects    ${manifests.length} in ${waves} sync waves, ${charts} of them charts as Argo CD Applications
Files      ${added.length} added · ${changed.length} changed · ${removed.length} removed · ${unchanged.length} unchanged
Secrets    ${secrets.length} values to keep in the ClusterSecretStore "${secretStore}": ${out}/SECRETS.md
${advice.map(({ policy, resource, message }) => `\n! ${policy} ${resource}\n  ${message}\n`).join("")}
Next: commit the folder and point an Argo CD Application at it (docs/gitops.md)
`;
}

function jsonSummary(
  { environment, secretStore }: Arguments,
  folder: string,
  { manifests, secrets, advice }: Rendering,
  files: FolderChanges,
): string {
  const objects = manifests.map(({ object: { apiVersion, kind, metadata }, wave }) => {
    return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, wave };
  });
  return `${JSON.stringify({ environment, out: folder, secretStore, files, objects, secrets, advice }, undefined, 2)}\n`;
}
