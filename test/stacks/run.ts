import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { type EnvironmentRun, runEnvironment } from "../../offline/environment";
import { type EnvironmentConfig, formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { Deployment, type RecordedResource } from "../harness/deploy";
import { frozen } from "../harness/frozen";

/** The environments that the repository ships. */
export const environments = ["dev", "oci-a10", "oci-h100", "aws-prod", "edge-nvidia", "edge-radeon"] as const;
export type EnvironmentName = (typeof environments)[number];

/** One run of an environment's program, as `plan` does it. */
export interface ProgramRun extends EnvironmentRun {
  readonly environment: EnvironmentConfig;
  readonly deployment: Deployment;
  readonly resources: readonly RecordedResource[];
}

const runs = new Map<string, Promise<ProgramRun>>();

/**
 * Runs the program of `Pulumi.<name>.yaml` once for all tests of a worker, which get it frozen: files share modules
 * (vitest.config.mts). One run at a time: await it.
 */
export function programRun(name: EnvironmentName, { preview = false } = {}): Promise<ProgramRun> {
  const key = `${name} ${preview}`;
  const found = runs.get(key) ?? runProgram(name, preview).then(frozen);
  runs.set(key, found);
  return found;
}

/** Runs an environment with some of its sections replaced: keys without our namespace. */
export async function changedRun(
  name: EnvironmentName,
  changes: Readonly<Record<string, unknown>>,
  baseDirectory = repositoryRoot(),
): Promise<ProgramRun> {
  const { config }: { config: object } = parse(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"));
  const changed = Object.entries(changes).map(([key, value]) => [`inference-stacks:${key}`, value]);
  return runText(name, stringify({ config: { ...config, ...Object.fromEntries(changed) } }), { baseDirectory });
}

async function runProgram(name: EnvironmentName, preview: boolean): Promise<ProgramRun> {
  return runText(name, readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"), { preview });
}

async function runText(
  name: EnvironmentName,
  text: string,
  { preview = false, baseDirectory = repositoryRoot() },
): Promise<ProgramRun> {
  const path = `Pulumi.${name}.yaml`;
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, path));
  }
  const run = await runEnvironment({ name, file, baseDirectory }, { preview });
  return {
    ...run,
    environment: file.environment,
    deployment: new Deployment(run.recording),
    resources: run.recording.resources,
  };
}

/**
 * Runs the program of an environment with the model control API at a hostname of its own, and other settings of its
 * gateway, as lines of YAML.
 */
export async function controlHostnameRun(name: EnvironmentName, gateway = ""): Promise<Deployment> {
  const root = repositoryRoot();
  const text = readFileSync(join(root, `Pulumi.${name}.yaml`), "utf8");
  const section = "  inference-stacks:modelControl:\n";
  const control = "    enabled: true\n    hostname: control.example.org\n";
  const withControl = text.includes(section)
    ? text.replace(`${section}    enabled: true\n`, `${section}${control}`)
    : `${text}\n${section}${control}    image: registry.example.org/model-control:1.0.0\n`;
  const opening = "  inference-stacks:gateway:\n";
  const file = parseEnvironmentFile(withControl.replace(opening, `${opening}${gateway}`));
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, name));
  }
  const run = await runEnvironment({ name, file, baseDirectory: root });
  return new Deployment(run.recording);
}
