import { type OfflineEnvironment, runEnvironment } from "../offline/environment";
import { judge } from "../report/judge";
import { isDeployable, type ReportedViolation } from "../report/result";
import { filesOf, type RenderedFile } from "./files";
import { type Manifest, type MarkedRun, manifests } from "./manifests";
import { StandIns } from "./pending-values";
import { RenderRefusedError } from "./refusal";
import { RemoteSecrets } from "./remote-secrets";
import { type SecretEntry, secretEntry } from "./secrets-list";

export interface Rendering {
  readonly manifests: readonly Manifest[];
  readonly secrets: readonly SecretEntry[];
  readonly files: readonly RenderedFile[];
  /** What the plan advises against, and does not forbid. */
  readonly advice: readonly ReportedViolation[];
}

export interface RenderOptions {
  /** Name of the ClusterSecretStore that holds the secret values. */
  readonly secretStore: string;
  readonly onResource?: (count: number) => void;
}

/**
 * Runs the program of an environment and turns what it makes into files, the same bytes each time.
 *
 * @throws RenderRefusedError when a capacity rule or policy forbids the deployment, or a secret stands where it cannot
 *   be rendered; ConfigError or ModelConfigError for what the user can mend.
 */
export async function renderEnvironment(environment: OfflineEnvironment, options: RenderOptions): Promise<Rendering> {
  const first = await markedRun(environment, "a", options);
  const verdict = judge(first.run);
  if (!isDeployable(verdict)) {
    throw new RenderRefusedError(
      verdict.violations
        .filter(({ severity }) => severity === "mandatory")
        .map(({ policy, resource, message }) => `✗ ${policy} ${resource}\n  ${message}`),
    );
  }
  const second = await markedRun(environment, "b", options);
  const remote = new RemoteSecrets(environment.name, options.secretStore);
  const { commonLabels } = first.run.environment;
  const objects = manifests(environment.name, [first, second], remote, commonLabels);
  const secrets = remote.list().map((secret) => secretEntry(environment.name, secret));
  const { plan } = first.run;
  const advice = verdict.violations.filter(({ severity }) => severity !== "mandatory");
  const files = filesOf({ ...options, plan, manifests: objects, secrets, advice });
  return { manifests: objects, secrets, files, advice };
}

async function markedRun(
  environment: OfflineEnvironment,
  letter: string,
  { onResource }: Pick<RenderOptions, "onResource">,
) {
  const standIns = new StandIns(letter);
  const { config, secretKeys } = environment.file;
  const file = { ...environment.file, config: standIns.config(config, secretKeys) };
  const run = await runEnvironment({ ...environment, file }, { answers: standIns.answers, onResource });
  const marked: MarkedRun = { resources: run.recording.resources, standIns };
  return { ...marked, run };
}
