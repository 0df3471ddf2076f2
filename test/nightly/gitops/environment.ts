import type * as automation from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../names/repository-root";
import type { OfflineEnvironment } from "../../../offline/environment";
import { type Rendering, renderEnvironment } from "../../../render/index";
import { readEnvironment } from "../../e2e/engine/environment-file";
import type { EnvironmentName } from "../../stacks/run";

/** Environments that a node of one's own or a laptop has. */
export const ENVIRONMENTS = ["dev", "edge-nvidia", "edge-radeon"] as const satisfies readonly EnvironmentName[];

const REPOSITORY = "https://git.example.com/platform/gitops.git";
export const TOKEN = "token-of-the-repository";

/** What an operator writes otherwise. */
export interface Own {
  /** Authority of the repository's server, in PEM. @default one that the machine trusts */
  readonly caCerts?: string;
  /** Sections of the environment's file by name. @default those of the repository */
  readonly sections?: Readonly<Record<string, object>>;
}

/** What an operator adds to an environment for Argo CD, with a repository that asks for a token. */
export function withGitops(name: EnvironmentName, { caCerts, sections = {} }: Own = {}): automation.ConfigMap {
  const section = {
    engine: "argo-cd",
    acknowledgeClusterAdmin: true,
    repository: REPOSITORY,
    path: `clusters/${name}`,
    ...(caCerts !== undefined && { caCerts }),
  };
  return {
    ...Object.fromEntries(
      Object.entries(sections).map(([key, own]) => [`inference-stacks:${key}`, { value: JSON.stringify(own) }]),
    ),
    "inference-stacks:gitops": { value: JSON.stringify(section) },
    "inference-stacks:gitopsToken": { value: TOKEN, secret: true },
  };
}

/** An environment of this repository with `gitops`. What a deployment reads on the machine is written in its file. */
export function gitopsEnvironment(name: EnvironmentName, own: Own = {}): OfflineEnvironment {
  const key = "inference-stacks:cluster";
  const cluster = JSON.parse(readEnvironment(name).config[key] ?? "{}");
  const config = {
    ...withGitops(name, own),
    ...(name === "edge-radeon" && {
      [key]: { value: JSON.stringify({ ...cluster, gpuDevices: { groups: [992] } }) },
    }),
  };
  return { name, file: readEnvironment(name, config), baseDirectory: repositoryRoot() };
}

/** What `npm run render` makes of it. */
export function renderingOf(environment: OfflineEnvironment): Promise<Rendering> {
  return renderEnvironment(environment, { secretStore: "inference-secrets" });
}
