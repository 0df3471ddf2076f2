import type * as pulumi from "@pulumi/pulumi";
import { OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import type { Cluster } from "../core/cluster";
import { Controller } from "../core/controller";
import type { GpuAccessByVendor } from "../core/gpu-access";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { PlatformComponent } from "../core/platform-component";
import type { AlertReceivers, ReceiverAuthorities } from "./alert-receivers";
import { dashboards } from "./dashboards/dashboards";
import type { RequestSource } from "./dashboards/links";
import type { DashboardSpec } from "./dashboards/spec";
import type { ExistingOperator } from "./existing-operator";
import { type GpuPool, gpuMetrics, gpuVendors } from "./gpu-metrics";
import { MetricsStack, type ReceiverSecrets } from "./metrics-stack";
import { monitors } from "./monitors";
import { GRAFANA_ADMIN_SECRET, GRAFANA_SERVICE, PROMETHEUS_URL } from "./names";
import { expectedMetrics, expectedOf, NODE_EXPORTER } from "./rules/absent";
import { gpuExporterAlerts } from "./rules/machines";
import { prometheusRules } from "./rules/prometheus-rules";
import type { RuleSubject } from "./rules/types";
import type { ObservabilityProfile } from "./stack-sizes";
import { distinctTargets, type ScrapeTarget } from "./targets";

export interface OwnStack {
  readonly profile: ObservabilityProfile;
  /** Days that samples are kept, unless the volume fills first. */
  readonly retentionDays: number;
  /** Volume of each Prometheus replica, GiB; at least 2. */
  readonly storageGiB: number;
}

/** Sizes apply to an installed stack only. */
export interface ObservabilityArgs extends Partial<OwnStack> {
  /** @default the platform installs a stack */
  readonly operator?: ExistingOperator | undefined;
  readonly gpuPools: readonly GpuPool[];
  /** @default device plugins alone */
  readonly gpuAccess?: GpuAccessByVendor;
  readonly cluster: Cluster;
  /** `production` keeps the volumes of metrics when the stack is deleted. */
  readonly stage: Stage;
  readonly targets: readonly ScrapeTarget[];
  /** Alerts and recorded series of add-ons. @default none */
  readonly alerts?: readonly RuleSubject[];
  /** Dashboards of add-ons. @default none */
  readonly dashboards?: readonly DashboardSpec[];
  /** Data sources that find a request, for links. @default none */
  readonly requestSources?: readonly RequestSource[];
  /** @default none */
  readonly receivers?: AlertReceivers | undefined;
  /** @default none */
  readonly receiverSecrets?: ReceiverSecrets | undefined;
  /** @default none */
  readonly receiverAuthorities?: ReceiverAuthorities | undefined;
  /** Environment and cluster, on exported series and alerts. */
  readonly externalLabels: Readonly<Record<string, string>>;
  /** Labels that distinguish pools, for costs. @default none */
  readonly nodeLabels?: readonly string[];
  /** URL of `docs/operations.md` in your fork, for alerts. @default its path */
  readonly runbookUrl?: string | undefined;
  /** Whether to scrape etcd, scheduler, controller manager and kube-proxy. @default false */
  readonly scrapeControlPlane?: boolean;
}

export class Observability extends PlatformComponent {
  readonly prometheusUrl: string;
  /** Commands that open Grafana and print its password. @default none, for an existing operator */
  readonly grafana: string | undefined;

  private static readonly ownGrafana =
    `kubectl -n ${OBSERVABILITY_NAMESPACE} port-forward svc/${GRAFANA_SERVICE} 3000:80; password: ` +
    `kubectl -n ${OBSERVABILITY_NAMESPACE} get secret ${GRAFANA_ADMIN_SECRET} -o jsonpath='{.data.admin-password}' | base64 -d`;

  constructor(name: string, args: ObservabilityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("observability:Observability", name, opts);
    const { cluster } = args;
    const scrapeControlPlane = args.scrapeControlPlane ?? false;
    const targets = distinctTargets(args.targets);

    const { operator } = args;
    this.prometheusUrl = operator?.url ?? PROMETHEUS_URL;
    this.grafana = operator ? undefined : Observability.ownGrafana;
    const stack =
      operator !== undefined
        ? this.closedNamespace()
        : new MetricsStack(
            this.child("metrics"),
            {
              ...ownStack(args),
              stage: args.stage,
              ...(cluster.storageClass !== undefined && { storageClass: cluster.storageClass }),
              scrapeControlPlane,
              externalLabels: args.externalLabels,
              nodeLabels: args.nodeLabels ?? [],
              receivers: args.receivers,
              receiverSecrets: args.receiverSecrets,
              receiverAuthorities: args.receiverAuthorities,
            },
            this.childOptions(),
          );
    const afterCrds = this.childOptions({ dependsOn: [...stack.crds] });

    const ownExporters = cluster.gpuExporters === "platform" ? gpuVendors(args.gpuPools) : [];
    if (ownExporters.length > 0) {
      new Controller(
        this.child("gpus"),
        {
          ...gpuMetrics({
            pools: args.gpuPools,
            ...(args.gpuAccess && { gpuAccess: args.gpuAccess }),
            monitorLabels: operator?.labels,
          }),
          formerTypes: ["inference:observability:GpuMetrics"],
        },
        afterCrds,
      );
    }
    monitors(this.child("monitors"), { namespace: stack.namespace, targets, labels: operator?.labels }, afterCrds);
    prometheusRules(
      this.child("rules"),
      {
        namespace: stack.namespace,
        runbookUrl: args.runbookUrl,
        labels: operator?.labels,
        foreignKubeState: operator !== undefined,
        alerts: [
          ...(args.alerts ?? []),
          expectedMetrics([...(operator ? [] : [NODE_EXPORTER]), ...targets.map(expectedOf)]),
          ...(ownExporters.includes("nvidia") ? [gpuExporterAlerts] : []),
        ],
      },
      afterCrds,
    );
    dashboards(
      this.child("dashboards"),
      {
        namespace: stack.namespace,
        dashboards: args.dashboards,
        labels: operator?.dashboardLabels,
        links: { runbookUrl: args.runbookUrl, sources: args.requestSources },
      },
      this.childOptions(),
    );

    this.registerOutputs({ prometheusUrl: this.prometheusUrl, grafana: this.grafana });
  }

  /** For monitors, rules and dashboards only. */
  private closedNamespace(): Pick<MetricsStack, "namespace" | "crds"> {
    const { namespace, resources } = new IsolatedNamespace(
      this.child("objects"),
      { namespace: OBSERVABILITY_NAMESPACE },
      this.childOptions(),
    );
    return { namespace, crds: resources };
  }
}

/** @throws Error without a stack or operator. */
function ownStack({ profile, retentionDays, storageGiB }: Partial<OwnStack>): OwnStack {
  if (profile === undefined || retentionDays === undefined || storageGiB === undefined) {
    throw new Error("observability: a new monitoring stack needs profile, retentionDays and storageGiB");
  }
  return { profile, retentionDays, storageGiB };
}
