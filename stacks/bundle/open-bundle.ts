import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { chartArchive } from "../../catalog/chart-archive";
import { K3S_VERSION } from "../../catalog/k3s";
import type { ChartPins } from "../../charts/obtain";
import type { ModelSource } from "../../engines/served-model";
import { messageOf } from "../../names/message-of";
import { visible } from "../../names/visible";
import type { DeploymentPlan } from "../../planner/types";
import { ConfigError, type EnvironmentConfig, readTextFile, toProblem } from "../config";
import { BUNDLE_FILE, BUNDLE_FOLDERS, type BundledModel, type BundleFile, parseBundle } from "./bundle-file";
import { foreignCharts, foreignImages } from "./pinned";

/** An opened bundle: charts here, images and models on the machine that becomes the cluster. */
export interface Bundle {
  /** On this machine. */
  readonly folder: string;
  /** On the machine that becomes the cluster. */
  readonly onHost: string;
  /** Node name of that machine. */
  readonly node: string;
  readonly content: BundleFile;
  /** SHA-256 of `bundle.json`, to compare the machine's copy. */
  readonly sha256: string;
}

/** `bundle.json` lists every file of every model. */
const MAX_BYTES = 64 * 2 ** 20;

/** In an environment. */
export const BUNDLE_PATH = ["cluster", "k3s", "bundle"] as const;

/** Makes or completes it. */
export function remakeCommand(environment: string, folder: string): string {
  return `npm run bundle -- ${environment} --out ${folder}`;
}

/**
 * Undefined where an environment uses the internet.
 *
 * Checks what is on this machine: completeness, the platform's k3s release, the machine's
 * processor, charts and image digests as in bundle and repository, and all models. Files on the
 * cluster's machine are checked there.
 *
 * @param pins of charts: those of the project's lock and of the catalogue.
 * @throws ConfigError with all problems.
 */
export function openBundle(
  { cluster }: Pick<EnvironmentConfig, "cluster">,
  plan: Pick<DeploymentPlan, "environment" | "pools" | "models">,
  pins: ChartPins,
): Bundle | undefined {
  if (cluster.kind !== "edge" || cluster.k3s?.bundle === undefined) {
    return undefined;
  }
  const folder = cluster.k3s.bundle;
  const remake = remakeCommand(plan.environment, folder);
  const refused = (reasons: readonly string[], fix: string) =>
    new ConfigError(
      reasons.map((allowed) => toProblem({ path: BUNDLE_PATH, value: folder, allowed: visible(allowed), fix })),
    );
  const text = bundleTextOf(folder);
  if (typeof text !== "string") {
    throw refused(
      [`a folder that npm run bundle made: ${join(folder, BUNDLE_FILE)} ${text.problem}`],
      `on a machine with internet: ${remake}; then carry the folder here, and to the machine that becomes the cluster`,
    );
  }
  const content = parseBundle(text);
  if ("problem" in content) {
    throw refused([`a bundle of this program: in ${BUNDLE_FILE}, ${content.problem}`], `make it again: ${remake}`);
  }
  const problems = [
    ...releaseProblems(content, plan),
    ...chartProblems(folder, content),
    ...foreignCharts(content, pins),
    ...foreignImages(folder, content),
    ...modelProblems(content, neededSources(plan)),
  ];
  if (problems.length > 0) {
    throw refused(problems, `with internet, ${remake}: it fetches only what lacks`);
  }
  const [[node, host] = ["", undefined]] = Object.entries(cluster.hosts ?? {});
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { folder, onHost: host?.bundle ?? folder, node, content, sha256 };
}

function bundleTextOf(folder: string): string | { readonly problem: string } {
  try {
    return readTextFile(join(folder, BUNDLE_FILE), MAX_BYTES);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function releaseProblems({ k3s, platforms }: BundleFile, { pools }: Pick<DeploymentPlan, "pools">): string[] {
  const wanted = [...new Set(pools.map(({ shape }) => `linux/${shape.cpu.arch}`))];
  const lacking = wanted.filter((platform) => !platforms.includes(platform));
  return [
    ...(k3s === undefined ? ["a bundle with k3s in it: it was made for an environment whose k3s is there"] : []),
    ...(k3s !== undefined && k3s.version !== K3S_VERSION
      ? [`a bundle with k3s ${K3S_VERSION}: it has ${k3s.version}, of another version of the platform`]
      : []),
    ...lacking.map((platform) => `a bundle for ${platform}: it is for ${platforms.join(" and ")}`),
  ];
}

/** Charts are small: reading all finds broken copies before anything is created. */
function chartProblems(folder: string, { charts, files }: BundleFile): string[] {
  return charts.flatMap(({ name, version, path }) => {
    const what = `the chart ${name} ${version} in ${path}`;
    const wanted = files.find((file) => file.path === path);
    if (wanted === undefined || path !== `${BUNDLE_FOLDERS.charts}/${chartArchive({ name, version })}`) {
      return [`${what}, which ${BUNDLE_FILE} does not list under that name`];
    }
    const found = sha256Of(join(folder, path));
    if (found === undefined) {
      return [`${what}, which is not there`];
    }
    return found === wanted.sha256 ? [] : [`${what}, whose SHA-256 is ${found} and must be ${wanted.sha256}`];
  });
}

function sha256Of(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : undefined;
  } catch {
    return undefined;
  }
}

type HubSource = Extract<ModelSource, { readonly kind: "huggingface" }>;

/** Repositories of models and adapters for sync Jobs. */
export function neededSources({ models }: Pick<DeploymentPlan, "models">): HubSource[] {
  return models
    .flatMap(({ source, adapters }) => [source, ...(adapters?.list ?? []).map((adapter) => adapter.source)])
    .filter((source) => source.kind === "huggingface");
}

function modelProblems({ models }: BundleFile, sources: readonly HubSource[]): string[] {
  const lacking = sources.filter((source) => findModel(models, source) === undefined);
  return [...new Set(lacking.map(({ repository, revision }) => `${repository}@${revision}`))].map(
    (source) =>
      `a bundle with the model ${source}: it has ${models.map((m) => `${m.repository}@${m.revision}`).join(", ") || "no models"}`,
  );
}

function findModel(models: readonly BundledModel[], { repository, revision }: Omit<HubSource, "kind">) {
  return models.find(
    (model) => model.repository === repository && (model.revision === revision || model.commit === revision),
  );
}

/** @throws Error for one that the bundle lacks: `openBundle` refuses that. */
export function bundledModel({ content }: Pick<Bundle, "content">, source: Omit<HubSource, "kind">): BundledModel {
  const found = findModel(content.models, source);
  if (found === undefined) {
    throw new Error(`the bundle lacks ${source.repository}@${source.revision}`);
  }
  return found;
}
