import { repositoryRoot } from "../../names/repository-root";
import { type EnvironmentRun, runEnvironment } from "../../offline/environment";
import { type EnvironmentConfig, formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { Deployment, type RecordedResource } from "../harness/deploy";
import { frozen } from "../harness/frozen";
import { changedText, type Sections, shippedText } from "./texts";

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
  return once(`${name} ${preview}`, () => runText(name, shippedText(name), { preview }));
}

/** Runs an environment with some of its sections replaced: keys without our namespace. */
export async function changedRun(
  name: EnvironmentName,
  changes: Sections,
  baseDirectory = repositoryRoot(),
): Promise<ProgramRun> {
  return runText(name, changedText(name, changes), { baseDirectory });
}

/** `changedRun`, which runs once for all tests of a worker like `programRun`: for what several of them ask for. */
export function sharedRun(name: EnvironmentName, changes: Sections): Promise<ProgramRun> {
  return once(`${name} ${JSON.stringify(changes)}`, () => changedRun(name, changes));
}

function once(key: string, run: () => Promise<ProgramRun>): Promise<ProgramRun> {
  const found = runs.get(key) ?? run().then(frozen);
  runs.set(key, found);
  return found;
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
  const text = shippedText(name);
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
  const run = await runEnvironment({ name, file, baseDirectory: repositoryRoot() });
  return new Deployment(run.recording);
}
