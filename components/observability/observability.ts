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

/** Of a stack that the platform installs. */
export interface OwnStack {
  readonly profile: ObservabilityProfile;
  /** Days that samples are kept, unless the volume fills first. */
  readonly retentionDays: number;
  /** Volume of each Prometheus replica, GiB; at least 2. */
  readonly storageGiB: number;
}

/** Sizes apply to an installed stack only, not to an existing operator. */
export interface ObservabilityArgs extends Partial<OwnStack> {
  /** The operator that is there. @default the platform installs its own stack */
  readonly operator?: ExistingOperator | undefined;
  /** Every pool with GPUs, from the plan. */
  readonly gpuPools: readonly GpuPool[];
  /** @default nothing beside the device plugins */
  readonly gpuAccess?: GpuAccessByVendor;
  readonly cluster: Cluster;
  /** `production` keeps the volumes of metrics when the stack is deleted. */
  readonly stage: Stage;
  /** Pods with metrics. */
  readonly targets: readonly ScrapeTarget[];
  /** Alerts and recorded series of add-ons, beside those of the platform. @default none */
  readonly alerts?: readonly RuleSubject[];
  /** Dashboards of add-ons, beside those of the platform. @default none */
  readonly dashboards?: readonly DashboardSpec[];
  /** Data sources of add-ons that find a request, for links of dashboards. @default none */
  readonly requestSources?: readonly RequestSource[];
  /** Receivers of alerts. @default none */
  readonly receivers?: AlertReceivers | undefined;
  /** Addresses and keys of receivers, by configuration key. @default none is set */
  readonly receiverSecrets?: ReceiverSecrets | undefined;
  /** Authorities of receivers' certificates. @default none is named */
  readonly receiverAuthorities?: ReceiverAuthorities | undefined;
  /** Labels of every series that leaves this Prometheus, and of every alert: which environment and cluster it is. */
  readonly externalLabels: Readonly<Record<string, string>>;
  /** Labels that tell the nodes of pools apart: what costs are counted by. @default none */
  readonly nodeLabels?: readonly string[];
  /** URL of `docs/operations.md` in your fork, for the links in alerts. @default its path in the repository */
  readonly runbookUrl?: string | undefined;
  /** Scrape etcd, scheduler, controller manager and kube-proxy: where the control plane is yours. @default false */
  readonly scrapeControlPlane?: boolean;
}

/** Metrics of everything that the platform runs, alerts with a runbook, and dashboards. */
export class Observability extends PlatformComponent {
  /** Query API of Prometheus, inside the cluster. */
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

  /** For monitors, rules and dashboards alone; their kinds are the cluster's. */
  private closedNamespace(): Pick<MetricsStack, "namespace" | "crds"> {
    const { namespace, resources } = new IsolatedNamespace(
      this.child("objects"),
      { namespace: OBSERVABILITY_NAMESPACE },
      this.childOptions(),
    );
    return { namespace, crds: resources };
  }
}

/** @throws Error where neither a stack nor an operator is described. */
function ownStack({ profile, retentionDays, storageGiB }: Partial<OwnStack>): OwnStack {
  if (profile === undefined || retentionDays === undefined || storageGiB === undefined) {
    throw new Error("observability: a stack of its own needs profile, retentionDays and storageGiB");
  }
  return { profile, retentionDays, storageGiB };
}
