import { chartNameOf } from "../catalog/chart-archive";
import { type ChartEntry, chart } from "../catalog/charts";
import { imagePulls } from "../catalog/image-pull";
import { parseImage } from "../catalog/image-reference";
import { image } from "../catalog/images";
import { K3S_INSTALLER, K3S_VERSION, k3sFor, k3sUrl } from "../catalog/k3s";
import { chartLicense, imageLicense, K3S_LICENSE } from "../catalog/licenses";
import { findModel } from "../catalog/models";
import { adapterLimits } from "../components/storage/adapters";
import type { AdapterLimits } from "../components/storage/scripts/adapter-files";
import { adapterPath } from "../components/storage/store-layout";
import { runsRepositoryCode } from "../engines/repository-code";
import { HELM_RELEASE } from "../kubernetes/resource-types";
import type { EnvironmentRun } from "../offline/environment";
import type { DeploymentPlan, ModelPlan } from "../planner/types";
import { usedImages } from "../report/images";
import { EXAMPLE_CONTROL_IMAGE } from "../stacks/addons/model-control/config";
import { catalogueImage } from "./signatures";

/** Unknown license, never guessed. */
export const UNKNOWN = "unknown";

export interface NeededFile {
  readonly name: string;
  readonly url: string;
  /** Undefined: unknown in advance. */
  readonly bytes?: number;
  readonly sha256: string;
  readonly license: string;
}

export interface NeededImage {
  /** Reference in pods. */
  readonly reference: string;
  readonly usedBy: readonly string[];
  /** If in the reference. */
  readonly digest?: string;
  /** Compressed GB, if known. */
  readonly compressedGB?: number;
  readonly license: string;
}

export interface NeededChart extends Pick<ChartEntry, "name" | "version" | "repository"> {
  readonly usedBy: readonly string[];
  readonly license: string;
}

/** Hugging Face repository of models or adapters. */
export interface NeededModel {
  readonly repository: string;
  readonly revision: string;
  /** Models, or adapters as `<model>.adapters.<name>`. */
  readonly usedBy: readonly string[];
  /** GB of copied files; for adapters the maximum. */
  readonly gigabytes: number;
  readonly license: string;
  /** Whether a token and accepted terms are required; undefined if unknown. */
  readonly gated?: boolean;
  readonly choice: ModelChoice;
}

/** Copied files of a repository. */
export type ModelChoice =
  | { readonly kind: "model"; readonly safetensorsOnly: boolean; readonly withCode: boolean }
  | { readonly kind: "adapter"; readonly path: string; readonly limits: AdapterLimits };

/** All downloads of an environment. */
export interface BundleNeeds {
  readonly environment: string;
  /** `linux/amd64`. */
  readonly platforms: readonly string[];
  /** Undefined for an existing cluster. */
  readonly k3s?: { readonly version: string; readonly files: readonly NeededFile[] };
  readonly images: readonly NeededImage[];
  readonly charts: readonly NeededChart[];
  readonly models: readonly NeededModel[];
  /** Reasons for unavailable components, one sentence each. */
  readonly problems: readonly string[];
}

/** Downloads needed by an environment's recorded program. */
export function bundleNeeds({
  environment: { cluster },
  plan,
  recording: { resources },
}: Pick<EnvironmentRun, "environment" | "plan" | "recording">): BundleNeeds {
  const architectures = [...new Set(plan.pools.map(({ shape }) => shape.cpu.arch))].sort();
  const used = usedImages(resources);
  return {
    environment: plan.environment,
    platforms: architectures.map((arch) => `linux/${arch}`),
    ...(cluster.kind === "edge" &&
      cluster.provision === "create" && {
        k3s: { version: K3S_VERSION, files: architectures.flatMap(k3sFiles).concat(installer()) },
      }),
    images: used.filter(({ image: name }) => name !== EXAMPLE_CONTROL_IMAGE).map(neededImage),
    charts: neededCharts(resources),
    models: neededModels(plan),
    problems: used.some(({ image: name }) => name === EXAMPLE_CONTROL_IMAGE)
      ? [
          `modelControl.image is the placeholder ${EXAMPLE_CONTROL_IMAGE}: build yours and name it (docs/model-control.md)`,
        ]
      : [],
  };
}

function k3sFiles(arch: "amd64" | "arm64"): NeededFile[] {
  const { binary, images: archive } = k3sFor(arch);
  return [binary, archive].map(({ file, ...known }) => ({
    name: file,
    url: k3sUrl({ file }),
    ...known,
    license: K3S_LICENSE,
  }));
}

function installer(): NeededFile {
  const { url, ...known } = K3S_INSTALLER;
  return { name: "install.sh", url, ...known, license: K3S_LICENSE };
}

function neededImage({
  image: reference,
  usedBy,
}: {
  readonly image: string;
  readonly usedBy: readonly string[];
}): NeededImage {
  const { digest, repository } = parseImage(reference);
  const row = catalogueImage(reference);
  const pull = row && imagePulls.find(({ component }) => image(component) === image(row.component));
  return {
    reference,
    usedBy,
    ...(digest !== undefined && { digest }),
    ...(pull && { compressedGB: pull.compressedGB }),
    license: imageLicense(row?.repository ?? repository) ?? UNKNOWN,
  };
}

function neededCharts(resources: EnvironmentRun["recording"]["resources"]): NeededChart[] {
  const users = new Map<string, string[]>();
  for (const { type, name: user, inputs } of resources) {
    const name = type === HELM_RELEASE ? chartNameOf(String(inputs.chart)) : undefined;
    if (name !== undefined) {
      users.set(name, [...(users.get(name) ?? []), user]);
    }
  }
  return [...users]
    .map(([name, usedBy]) => {
      const { version, repository } = chart(name);
      return { name, version, repository, usedBy: usedBy.sort(), license: chartLicense(name) ?? UNKNOWN };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function neededModels({ models }: Pick<DeploymentPlan, "models">): NeededModel[] {
  const found = new Map<string, NeededModel>();
  for (const wanted of models.flatMap(sourcesOf)) {
    const key = `${wanted.repository}@${wanted.revision}`;
    const before = found.get(key);
    found.set(
      key,
      before
        ? { ...before, usedBy: [...before.usedBy, ...wanted.usedBy], choice: joined(before.choice, wanted.choice) }
        : wanted,
    );
  }
  return [...found.values()].sort((a, b) => (a.repository < b.repository ? -1 : 1));
}

/** Union of several models' files in a repository. */
function joined(one: ModelChoice, other: ModelChoice): ModelChoice {
  return one.kind === "model" && other.kind === "model"
    ? {
        kind: "model",
        safetensorsOnly: one.safetensorsOnly || other.safetensorsOnly,
        withCode: one.withCode || other.withCode,
      }
    : one;
}

function sourcesOf(model: ModelPlan): NeededModel[] {
  const { source, adapters } = model;
  const own: NeededModel[] =
    source.kind === "huggingface"
      ? [
          {
            ...repositoryOf(source),
            usedBy: [model.name],
            gigabytes: model.weightsGB,
            choice: {
              kind: "model",
              safetensorsOnly: model.loading === "stream",
              withCode: runsRepositoryCode(model),
            },
          },
        ]
      : [];
  const besides = (adapters?.list ?? []).flatMap((adapter): NeededModel[] =>
    adapter.source.kind === "huggingface"
      ? [
          {
            ...repositoryOf(adapter.source),
            usedBy: [`${model.name}.adapters.${adapter.name}`],
            gigabytes: adapters?.fileGB ?? 0,
            choice: { kind: "adapter", path: adapterPath(model.name, adapter.name), limits: adapterLimits(model) },
          },
        ]
      : [],
  );
  return [...own, ...besides];
}

function repositoryOf({ repository, revision }: { readonly repository: string; readonly revision: string }) {
  const entry = findModel(repository);
  return {
    repository,
    revision,
    license: entry?.license ?? UNKNOWN,
    ...(entry && { gated: entry.gated }),
  };
}
