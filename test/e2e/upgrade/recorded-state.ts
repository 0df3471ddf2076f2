import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type * as automation from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../names/repository-root";
import type { EnvironmentName } from "../../stacks/run";

const FOLDER = join(repositoryRoot(), "test/fixtures/recorded-states");

/** What a version of this program left behind when it deployed an environment. */
export interface RecordedState {
  readonly version: string;
  readonly environment: EnvironmentName;
  /** `Pulumi.<environment>.yaml` as it was; where keys changed since, as a user migrates it. */
  readonly file: string;
  /** As the engine exports it, values of secrets encrypted under the tests' passphrase. */
  readonly deployment: automation.Deployment;
}

/** The versions whose states were recorded, oldest first. */
export function recordedVersions(): readonly string[] {
  return readdirSync(FOLDER).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

export function readRecordedState(version: string, environment: EnvironmentName): RecordedState {
  const folder = join(FOLDER, version);
  return {
    version,
    environment,
    file: readFileSync(join(folder, `Pulumi.${environment}.yaml`), "utf8"),
    deployment: JSON.parse(gunzipSync(readFileSync(join(folder, stateFile(environment)))).toString("utf8")),
  };
}

/** Compressed: a state repeats every object as what was asked for and as what the server made of it. */
export function writeRecordedState({ version, environment, file, deployment }: RecordedState): void {
  const folder = join(FOLDER, version);
  mkdirSync(folder, { recursive: true });
  const text = JSON.stringify(deployment, (key, value: unknown) => (UNREAD.includes(key) ? undefined : value));
  writeFileSync(join(folder, stateFile(environment)), gzipSync(text, { level: 9 }));
  writeFileSync(join(folder, `Pulumi.${environment}.yaml`), file);
}

/** What the API server keeps for itself, and times: no program reads them. */
const UNREAD = ["managedFields", "creationTimestamp", "created", "modified", "sourcePosition"];

function stateFile(environment: EnvironmentName): string {
  return `${environment}.json.gz`;
}
