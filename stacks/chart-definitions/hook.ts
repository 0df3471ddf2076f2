import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { chartNameOf, isChartPath } from "../../catalog/chart-archive";
import { type ChartValues, chartDefinitions } from "../../charts/definitions";
import { HELM_RELEASE, KUBERNETES_PROVIDER } from "../../kubernetes/resource-types";
import { counted } from "../../names/counted";
import { programIn } from "../../names/programs";
import type { EnvironmentConfig } from "../config";
import { applyDefinitions } from "./apply";
import { definitionsOf } from "./definition";
import { type KubectlAccess, KubectlError, NO_KUBECTL } from "./kubectl";

/** Inputs of the cluster's provider. */
interface ProviderInputs {
  readonly kubeconfig?: pulumi.Input<string>;
  readonly context?: pulumi.Input<string>;
}

type Charted = Pick<EnvironmentConfig, "charts" | "scope">;

interface ReleaseInputs {
  readonly chart?: string;
  readonly values?: ChartValues;
  readonly skipCrds?: boolean;
}

/**
 * Applies a chart's CRDs before its release is created or updated: Helm installs `crds/` once and
 * never upgrades it. A rejected definition stops the release; previews apply nothing.
 *
 * As Pulumi resources they would be in the state three times, with schemas of megabytes written
 * after each step. Only charts as files are read: `charts: repository` keeps Helm's behaviour.
 */
export async function upgradeChartDefinitions({ charts, scope }: Charted): Promise<void> {
  if (charts === "repository" || scope === "cluster") {
    return;
  }
  if (programIn(process.env.PATH, "kubectl") === undefined) {
    await pulumi.log.warn(
      `${NO_KUBECTL}: \`up\` applies custom resource definitions of charts with it (docs/charts.md)`,
    );
  }
  let provider: ProviderInputs = {};
  const hook = new pulumi.ResourceHook("chart-definitions", async ({ newInputs = {} }) => {
    const { chart, values = {}, skipCrds = false } = await known<ReleaseInputs>(newInputs);
    if (chart === undefined || skipCrds || !isChartPath(chart)) {
      return;
    }
    const definitions = definitionsOf(chartDefinitions(readFileSync(chart), values));
    if (definitions.length > 0) {
      await applied(chartNameOf(chart) ?? chart, () =>
        accessOf(provider).then((access) => applyDefinitions(definitions, access)),
      );
    }
  });
  pulumi.runtime.registerStackTransformation(({ type, props, opts }) => {
    if (type === KUBERNETES_PROVIDER) {
      provider = props as ProviderInputs;
    }
    const hooks = { beforeCreate: [hook], beforeUpdate: [hook] };
    return type === HELM_RELEASE ? { props, opts: pulumi.mergeOptions(opts, { hooks }) } : undefined;
  });
}

/** @throws Error with chart and fix: the engine shows it as the release's. */
async function applied(chart: string, apply: () => ReturnType<typeof applyDefinitions>): Promise<void> {
  try {
    const { applied: done, newer } = await apply();
    await pulumi.log.info(`chart ${chart}: applied ${counted(done.length, "custom resource definition")}`);
    if (newer.length > 0) {
      const names = newer.map(({ name }) => name).join(", ");
      await pulumi.log.warn(`chart ${chart}: the cluster has a newer Gateway API, which stays: ${names}`);
    }
  } catch (error) {
    const fix =
      error instanceof KubectlError && error.message === NO_KUBECTL
        ? "install kubectl, or set `charts: repository` and upgrade them by hand (docs/charts.md)"
        : "docs/charts.md, custom resource definitions";
    throw new Error(`custom resource definitions of chart ${chart} were not applied: ${error}. Fix: ${fix}`);
  }
}

/** Skips unset values: an empty kubeconfig is none. */
async function accessOf(provider: ProviderInputs): Promise<KubectlAccess> {
  const { kubeconfig, context } = await known<KubectlAccess>(provider);
  return { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
}

/** Plain values: inputs of release and provider are known by then. */
function known<T>(inputs: object): Promise<T> {
  return new Promise((resolve) => {
    pulumi.output(inputs).apply((values) => resolve(values as T));
  });
}
