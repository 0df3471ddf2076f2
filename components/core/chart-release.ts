import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { chartReference } from "../../catalog/charts";

/** Helm values: plain data with outputs for values known at deployment. */
export interface HelmValues {
  readonly [key: string]: pulumi.Input<HelmValue>;
}
export type HelmValue = string | number | boolean | null | readonly pulumi.Input<HelmValue>[] | HelmValues;

export interface ChartReleaseArgs {
  /** Catalogue name of the chart, which gives version and repository. */
  readonly chart: string;
  /** Helm release name. */
  readonly release: string;
  readonly namespace: pulumi.Input<string>;
  readonly values: HelmValues;
  readonly skipCrds?: boolean;
}

/** Timeout before Helm rolls back. */
const GIVES_UP_AFTER_SECONDS = 600;

/**
 * A third-party chart at the catalogue's version. Failed installs roll back (`atomic`), so that the
 * next `pulumi up` starts clean.
 */
export function chartRelease(
  logicalName: string,
  args: ChartReleaseArgs,
  opts: pulumi.CustomResourceOptions,
): kubernetes.helm.v3.Release {
  return new kubernetes.helm.v3.Release(
    logicalName,
    {
      name: args.release,
      namespace: args.namespace,
      ...chartReference(args.chart),
      values: { ...args.values },
      atomic: true,
      cleanupOnFail: true,
      createNamespace: false,
      skipCrds: args.skipCrds ?? false,
      timeout: GIVES_UP_AFTER_SECONDS,
      maxHistory: 5,
    },
    opts,
  );
}
