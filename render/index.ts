import type { IgnoredDifference } from "../components/argo-cd/ignored-differences";
import { absentSecrets } from "../offline/absent-secrets";
import { type EnvironmentRun, type GivenOutput, type OfflineEnvironment, runEnvironment } from "../offline/environment";
import { summarize } from "../planner/summary";
import { judge } from "../report/judge";
import { type PlanDigest, planDigest } from "../report/plan-digest";
import { isDeployable, type ReportedViolation } from "../report/result";
import { shortResource } from "../report/short-resource";
import type { GitopsConfig } from "../stacks/addons/gitops/config";
import { filesOf, type RenderedFile } from "./files";
import type { LeftOut } from "./left-out";
import { type Manifest, type MarkedRun, manifests } from "./manifests";
import { knownValues, StandIns } from "./pending-values";
import { NothingToRenderError, RenderRefusedError } from "./refusal";
import { RemoteSecrets } from "./remote-secrets";
import { type SecretEntry, secretEntry } from "./secrets-list";

export interface Rendering {
  /** Fields that other managers set, which Argo CD must leave alone. */
  readonly ignored: readonly IgnoredDifference[];
  /** Where Argo CD looks for the folder, with `gitops`. */
  readonly gitops?: GitopsConfig | undefined;
  readonly manifests: readonly Manifest[];
  readonly secrets: readonly SecretEntry[];
  readonly files: readonly RenderedFile[];
  /** The plan that all of it follows from. */
  readonly plan: PlanDigest;
  /** What the plan advises against, and does not forbid. */
  readonly advice: readonly ReportedViolation[];
  /** Objects that no file has. */
  readonly leftOut: readonly LeftOut[];
}

export interface RenderOptions {
  /** Name of the ClusterSecretStore that holds the secret values. */
  readonly secretStore: string;
  readonly onResource?: (count: number) => void;
  /** What the stack that made the cluster says of it. @default what exists only at deployment is left out */
  readonly clusterOutputs?: GivenOutput;
}

/**
 * Runs the program of an environment and turns what it makes into files, the same bytes each time.
 *
 * @throws RenderRefusedError when a capacity rule or policy forbids the deployment, or a secret is where it cannot
 *   be rendered; ConfigError or ModelConfigError for what the user can fix.
 */
export async function renderEnvironment(environment: OfflineEnvironment, options: RenderOptions): Promise<Rendering> {
  if (environment.file.ok) {
    assertForGitops(environment.file.environment);
  }
  const first = await markedRun(environment, "a", options);
  const verdict = judge(first.run);
  if (!isDeployable(verdict)) {
    throw new RenderRefusedError(
      verdict.violations
        .filter(({ severity }) => severity === "mandatory")
        .map(({ policy, resource, message }) => `✗ ${policy} ${shortResource(resource)}\n  ${message}`),
    );
  }
  const second = await markedRun(environment, "b", options);
  const remote = new RemoteSecrets(environment.name, options.secretStore);
  const { commonLabels, gitops } = first.run.environment;
  const { clusterOutputs } = options;
  const made = manifests(gitops?.name ?? environment.name, [first, second], remote, {
    labels: commonLabels,
    gitops: gitops !== undefined,
    ...(clusterOutputs && { known: knownValues(first.run.clusterOutputs, clusterOutputs.value, first.standIns) }),
  });
  const secrets = remote.list().map((secret) => secretEntry(environment.name, secret));
  const { plan } = first.run;
  const advice = verdict.violations.filter(({ severity }) => severity !== "mandatory");
  const files = filesOf({ ...options, ...made, plan, secrets, advice, gitops: gitops !== undefined });
  return { ...made, secrets, files, plan: planDigest.parse(summarize(plan)), advice, gitops };
}

/** @throws NothingToRenderError before anything of the environment is run: a bundle need not be on this computer. */
function assertForGitops({ scope, cluster }: EnvironmentRun["environment"]): void {
  if (scope === "cluster") {
    throw new NothingToRenderError([
      "✗ scope\n  scope: cluster makes no Kubernetes object. Render the environment of the platform: scope: platform, or all.",
    ]);
  }
  if (cluster.kind === "edge" && cluster.k3s?.bundle !== undefined) {
    throw new NothingToRenderError([
      `✗ cluster.k3s.bundle\n  Argo CD takes charts from repositories, and ${cluster.k3s.bundle} is a folder. Remove it, and name a registry of your own in images.mirror (docs/images.md); or deploy from the folder with Pulumi (docs/air-gap.md).`,
    ]);
  }
}

async function markedRun(
  environment: OfflineEnvironment,
  letter: string,
  { onResource, clusterOutputs }: Pick<RenderOptions, "onResource" | "clusterOutputs">,
) {
  const standIns = new StandIns(letter);
  const { config, secretKeys } = environment.file;
  // Files of an environment whose alerts have no secrets yet name them: Alertmanager would send nothing, in silence.
  const absent = absentSecrets(environment.file);
  const file = {
    ...environment.file,
    config: standIns.config(config, secretKeys, absent),
    secretKeys: [...secretKeys, ...Object.keys(absent)],
  };
  const run = await runEnvironment(
    { ...environment, file },
    { answers: (own) => standIns.over(own), onResource, clusterOutputs },
  );
  const marked: MarkedRun = { resources: run.recording.resources, standIns };
  return { ...marked, run };
}
