import { createHash } from "node:crypto";
import type { IgnoredDifference } from "../components/argo-cd/ignored-differences";
import { summarize } from "../planner/summary";
import type { DeploymentPlan } from "../planner/types";
import type { ReportedViolation } from "../report/result";
import { shortResource } from "../report/short-resource";
import { EXAMPLE_CONTROL_IMAGE } from "../stacks/addons/model-control/config";
import { type LeftOut, leftOutText } from "./left-out";
import type { Manifest } from "./manifests";
import { GPU_DEVICE_GROUP } from "./pending-values";
import { type SecretEntry, secretsPage, secretsYaml } from "./secrets-list";
import { toYaml } from "./yaml";

/** A file by its path below the folder, with `/`. */
export interface RenderedFile {
  readonly path: string;
  readonly text: string;
}

/** The group of GPUs in an object's file, where its number is not known. */
const GROUP_LINE = `- ${GPU_DEVICE_GROUP} # a placeholder: a number of the machine, see README.md\n`;
/** Folder of the objects that belong to no namespace. */
const CLUSTER_FOLDER = "cluster";

export interface RenderedEnvironment {
  readonly plan: DeploymentPlan;
  readonly manifests: readonly Manifest[];
  readonly secrets: readonly SecretEntry[];
  /** Name of the ClusterSecretStore. */
  readonly secretStore: string;
  /** What the plan advises against. */
  readonly advice: readonly ReportedViolation[];
  /** Objects that no file has. */
  readonly leftOut: readonly LeftOut[];
  /** Fields that other managers set. */
  readonly ignored: readonly IgnoredDifference[];
  /** Whether `up` installs Argo CD, and makes what is in no file. */
  readonly gitops: boolean;
}

/**
 * All files of an environment, sorted by path: one object each, one folder per namespace.
 *
 * @throws Error when two objects would share a file.
 */
export function filesOf(rendered: RenderedEnvironment): RenderedFile[] {
  const { plan, manifests, secrets, secretStore } = rendered;
  const objects = manifests.map((manifest) => ({ path: pathOf(manifest), text: fileText(manifest) }));
  const paths = objects.map(({ path }) => path);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) {
    throw new Error(`two objects would be written to ${twice}`);
  }
  const folders = [...new Set(paths.map((path) => path.slice(0, path.indexOf("/"))))];
  folders.sort((a, b) => Number(b === CLUSTER_FOLDER) - Number(a === CLUSTER_FOLDER) || (a < b ? -1 : 1));
  const { environment } = plan;
  return [
    ...objects,
    ...folders.map((folder) => ({
      path: `${folder}/kustomization.yaml`,
      text: kustomization(
        paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
      ),
    })),
    { path: "kustomization.yaml", text: kustomization(folders, { sortOptions: { order: "fifo" } }) },
    { path: "README.md", text: readme(rendered, objects) },
    ...(secrets.length > 0
      ? [
          { path: "SECRETS.md", text: secretsPage(environment, secretStore, secrets) },
          { path: "secrets.yaml", text: secretsYaml(environment, secretStore, secrets) },
        ]
      : []),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The object, with comments at images that cannot be pulled and at numbers that are not known. */
function fileText({ object }: Manifest): string {
  const image = `image: ${EXAMPLE_CONTROL_IMAGE}`;
  return toYaml(object)
    .replaceAll(`${image}\n`, `${image} # a placeholder: these pods never start, see README.md\n`)
    .replaceAll(`- ${GPU_DEVICE_GROUP}\n`, GROUP_LINE);
}

/** What to do about the group of GPUs where files have its placeholder. */
function groupNote(environment: string): string {
  return (
    `- The number of the group that opens the GPUs differs from machine to machine, and is \`${GPU_DEVICE_GROUP}\` in these files, which the API server refuses. On the machine, ` +
    "`stat -c %g /dev/kfd` prints it. Write it as `cluster.gpuDevices.groups: [<number>]` and render " +
    `\`${environment}\` again; or, in a copy of this folder: \`grep -rl ${GPU_DEVICE_GROUP} . | xargs sed -i 's/- ${GPU_DEVICE_GROUP}\\b.*/- <number>/'\`.`
  );
}

function pathOf({ object: { kind, metadata }, wave }: Manifest): string {
  const name = `${kind.toLowerCase()}-${metadata.name.replaceAll(/[^a-z0-9.-]/g, "-")}`;
  return `${metadata.namespace ?? CLUSTER_FOLDER}/${String(wave).padStart(2, "0")}-${name}.yaml`;
}

/** Resources in the order of application. */
function kustomization(resources: readonly string[], options: Readonly<Record<string, unknown>> = {}): string {
  return toYaml({
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    ...options,
    resources,
  });
}

function readme(
  { plan, manifests, secrets, advice, leftOut, ignored, gitops }: RenderedEnvironment,
  objects: readonly RenderedFile[],
): string {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify(summarize(plan)))
    .digest("hex")
    .slice(0, 16);
  const models = plan.models.map(
    ({ name, engine, pool, minReplicas, maxReplicas }) =>
      `| ${name} | ${engine} | ${pool} | ${minReplicas}${maxReplicas > minReplicas ? ` (room for ${maxReplicas})` : ""} |`,
  );
  const lacksGroup = objects.some(({ text }) => text.includes(GROUP_LINE));
  const before = [
    ...(lacksGroup ? [groupNote(plan.environment)] : []),
    ...leftOut.map((object) => `- ${leftOutText(object)}`),
    ...advice.map(adviceLine),
  ];
  const lastWave = Math.max(0, ...manifests.map(({ wave }) => wave));
  return `# ${plan.environment}

Rendered by inference-stacks from the environment \`${plan.environment}\`, plan \`${fingerprint}\`. Do not edit: the next
\`npm run render -- ${plan.environment} --out <this folder>\` replaces every file.

| Model | Engine | Pool | Replicas |
|---|---|---|---|
${models.join("\n")}

- One folder per namespace, \`${CLUSTER_FOLDER}\` for what belongs to none. The number in a file's name is its sync wave, 0 to ${lastWave}.
${gitops ? BY_UP : bySelf(secrets)}
- Helm charts are Argo CD Applications; the AppProject says what they may do.
${ignored.length > 0 && !gitops ? `\n## What Argo CD must ignore\n\nOther managers set these fields. In the root Application, with \`RespectIgnoreDifferences=true\` among its sync options:\n\n\`\`\`yaml\n${toYaml({ ignoreDifferences: ignored })}\`\`\`\n` : ""}${before.length > 0 ? `\n## Before you apply\n\n${before.join("\n")}\n` : ""}`;
}

/** Where the environment has `gitops`. */
const BY_UP =
  "- `pulumi up` makes the namespaces, the Secrets, Argo CD with its health checks, and the root Application that points here: docs/gitops.md.";

function bySelf(secrets: readonly SecretEntry[]): string {
  const values = secrets.length > 0 ? ", External Secrets, and the values in [SECRETS.md](SECRETS.md)" : "";
  return `- Needs Argo CD 3.4.6 or newer in the namespace \`argocd\` with the health checks of docs/gitops.md${values}.`;
}

function adviceLine({ policy, resource, message }: ReportedViolation): string {
  return `- \`${shortResource(resource)}\` (${policy}): ${message}`;
}
