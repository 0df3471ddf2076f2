import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { NODE_METRICS_NAMESPACE, OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import { Controller } from "../core/controller";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { PlatformComponent } from "../core/platform-component";
import {
  type AlertReceivers,
  type AlertSecretKey,
  AUTHORITIES_CONFIG_MAP,
  authoritiesKey,
  RECEIVER_KINDS,
  type ReceiverAuthorities,
} from "./alert-receivers";
import { alertmanagerConfig } from "./alert-routing";
import { GRAFANA_ADMIN_SECRET, STACK_RELEASE } from "./names";
import { type ObservabilityProfile, STACK_SIZES } from "./stack-sizes";
import { stackValues } from "./stack-values";

const ALERTMANAGER_SECRET = "alertmanager-config";

export type ReceiverSecrets = Readonly<Partial<Record<AlertSecretKey, pulumi.Output<string>>>>;

export interface MetricsStackArgs {
  readonly profile: ObservabilityProfile;
  /** `production` keeps the volumes of metrics when the stack is deleted. */
  readonly stage: Stage;
  /** Days that samples are kept, unless the volume fills first. */
  readonly retentionDays: number;
  /** Volume of each Prometheus replica, GiB; at least 2. */
  readonly storageGiB: number;
  /** @default the cluster's default class */
  readonly storageClass?: string;
  /** Whether to scrape etcd, scheduler, controller manager and kube-proxy. @default false */
  readonly scrapeControlPlane?: boolean;
  /** @default none */
  readonly receivers?: AlertReceivers | undefined;
  /** @default none */
  readonly receiverSecrets?: ReceiverSecrets | undefined;
  /** @default none */
  readonly receiverAuthorities?: ReceiverAuthorities | undefined;
  /** Labels of exported series and alerts. */
  readonly externalLabels: Readonly<Record<string, string>>;
  /** Labels that distinguish pools. @default none */
  readonly nodeLabels?: readonly string[];
}

/** The chart of CRDs comes first: monitors and rules may follow in any order. */
export class MetricsStack extends PlatformComponent {
  readonly namespace: pulumi.Output<string>;
  /** PodMonitor, ServiceMonitor and PrometheusRule: such objects depend on it. */
  readonly crds: readonly pulumi.Resource[];

  constructor(name: string, args: MetricsStackArgs, opts?: pulumi.ComponentResourceOptions) {
    super("observability:MetricsStack", name, opts);
    const nodes = new IsolatedNamespace(
      this.child("nodes"),
      { namespace: NODE_METRICS_NAMESPACE },
      this.childOptions(),
    );
    const { receivers = {}, receiverSecrets = {}, receiverAuthorities = {} } = args;
    const hasAuthorities = Object.keys(receiverAuthorities).length > 0;
    const hasSecrets = Object.keys(receiverSecrets).length > 0;
    const stack = new Controller(
      name,
      {
        namespace: OBSERVABILITY_NAMESPACE,
        keep: args.stage === "production",
        crds: { chart: "prometheus-operator-crds", release: "prometheus-operator-crds" },
        after: nodes.resources,
        contents: (namespace) => ({
          needs: [
            this.grafanaAdmin(namespace),
            ...(hasAuthorities ? [this.authorities(namespace, receiverAuthorities)] : []),
            ...(hasSecrets ? [this.alertmanagerSecret(namespace, receivers, receiverSecrets)] : []),
          ],
          charts: [
            {
              suffix: "stack",
              chart: "kube-prometheus-stack",
              release: STACK_RELEASE,
              values: stackValues({
                size: STACK_SIZES[args.profile],
                stage: args.stage,
                retentionDays: args.retentionDays,
                storageGiB: args.storageGiB,
                storageClass: args.storageClass,
                scrapeControlPlane: args.scrapeControlPlane ?? false,
                externalLabels: args.externalLabels,
                nodeLabels: args.nodeLabels ?? [],
                receivers,
                authoritiesConfigMap: hasAuthorities ? AUTHORITIES_CONFIG_MAP : undefined,
                alertmanagerSecret: hasSecrets ? ALERTMANAGER_SECRET : undefined,
              }),
              skipCrds: true,
            },
          ],
        }),
      },
      this.childOptions(),
    );
    this.namespace = stack.namespace;
    this.crds = stack.crds;
    this.registerOutputs({ namespace: this.namespace });
  }

  private alertmanagerSecret(
    namespace: pulumi.Input<string>,
    receivers: AlertReceivers,
    secrets: ReceiverSecrets,
  ): kubernetes.core.v1.Secret {
    return new kubernetes.core.v1.Secret(
      this.child("alertmanager-config"),
      {
        metadata: {
          name: ALERTMANAGER_SECRET,
          namespace,
          labels: standardLabels("alertmanager", STACK_RELEASE),
        },
        stringData: {
          "alertmanager.yaml": pulumi
            .secret(pulumi.all(secrets))
            .apply((values) => alertmanagerConfig(receivers, values)),
        },
      },
      this.childOptions(),
    );
  }

  /** Certificates are no secret. */
  private authorities(namespace: pulumi.Input<string>, authorities: ReceiverAuthorities): kubernetes.core.v1.ConfigMap {
    return new kubernetes.core.v1.ConfigMap(
      this.child("alertmanager-authorities"),
      {
        metadata: { name: AUTHORITIES_CONFIG_MAP, namespace, labels: standardLabels("alertmanager", STACK_RELEASE) },
        data: Object.fromEntries(
          RECEIVER_KINDS.flatMap((kind) => {
            const text = authorities[kind];
            return text === undefined ? [] : [[authoritiesKey(kind), text]];
          }),
        ),
      },
      this.childOptions(),
    );
  }

  private grafanaAdmin(namespace: pulumi.Input<string>): kubernetes.core.v1.Secret {
    const password = new random.RandomPassword(
      this.child("grafana-password"),
      { length: 32, special: false },
      this.childOptions(),
    );
    return new kubernetes.core.v1.Secret(
      this.child("grafana-admin"),
      {
        metadata: {
          name: GRAFANA_ADMIN_SECRET,
          namespace,
          labels: standardLabels("grafana", STACK_RELEASE),
        },
        stringData: { "admin-user": "admin", "admin-password": password.result },
      },
      this.childOptions(),
    );
  }
}
