import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "../../core/gone-component";
import { DASHBOARDS } from "./all";
import { dashboardModel } from "./builder";
import type { DashboardLinks } from "./links";
import type { DashboardSpec } from "./spec";

export interface DashboardsArgs {
  /** Namespace that Grafana's sidecar watches. */
  readonly namespace: pulumi.Input<string>;
  /** Dashboards of add-ons. @default none */
  readonly dashboards?: readonly DashboardSpec[];
  /** Labels that the sidecar looks for. @default grafana_dashboard: "1" */
  readonly labels?: Labels | undefined;
  /** @default to each other */
  readonly links?: DashboardLinks;
}

/** One ConfigMap each, which Grafana's sidecar loads by its label. */
export function dashboards(name: string, args: DashboardsArgs, opts: OptionsOfGone): void {
  const options = { ...opts, aliases: childrenOfGone("observability:Dashboards", name, opts) };
  for (const spec of [...DASHBOARDS, ...(args.dashboards ?? [])]) {
    new kubernetes.core.v1.ConfigMap(
      `${name}-${spec.uid}`,
      {
        metadata: {
          name: `dashboard-${spec.uid}`,
          namespace: args.namespace,
          labels: standardLabels("dashboard", spec.uid, args.labels ?? { grafana_dashboard: "1" }),
        },
        data: { [`${spec.uid}.json`]: JSON.stringify(dashboardModel(spec, args.links)) },
      },
      options,
    );
  }
}
