import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../catalog/root";
import { type EnvironmentRun, runEnvironment } from "../../cli/plan-offline";
import { type EnvironmentConfig, formatProblems, parseEnvironmentFile } from "../../stacks/config";
import { Deployment, type RecordedResource } from "../harness/deploy";

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

/** Runs the program of `Pulumi.<name>.yaml`; tests of one file share the run. One run at a time: await it. */
export function programRun(name: EnvironmentName, { preview = false } = {}): Promise<ProgramRun> {
  const key = `${name} ${preview}`;
  const found = runs.get(key) ?? runProgram(name, preview);
  runs.set(key, found);
  return found;
}

async function runProgram(name: EnvironmentName, preview: boolean): Promise<ProgramRun> {
  const root = repositoryRoot();
  const path = `Pulumi.${name}.yaml`;
  const file = parseEnvironmentFile(readFileSync(join(root, path), "utf8"));
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, path));
  }
  const run = await runEnvironment({ name, file, baseDirectory: root }, { preview });
  return {
    ...run,
    environment: file.environment,
    deployment: new Deployment(run.recording),
    resources: run.recording.resources,
  };
}
