import type * as pulumi from "@pulumi/pulumi";
import { NODE_METRICS_NAMESPACE, OBSERVABILITY_NAMESPACE } from "../../names/namespaces";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { EVICTS_UNREADY_PODS } from "../core/disruption-budget";
import { PRIORITY } from "../core/priority-classes";
import { volumeClaimSpec } from "../core/resources";
import type { AlertReceivers } from "./alert-receivers";
import { alertRouting } from "./alert-routing";
import { MODEL_NAMESPACES } from "./model-namespaces";
import { GRAFANA_ADMIN_SECRET, STACK_RELEASE } from "./names";
import { EXPORTED_LABELS } from "./rules/models";
import type { StackSize } from "./stack-sizes";

export interface StackSettings {
  readonly size: StackSize;
  readonly stage: Stage;
  readonly retentionDays: number;
  /** Volume of each Prometheus replica, GiB. */
  readonly storageGiB: number;
  readonly storageClass: string | undefined;
  readonly scrapeControlPlane: boolean;
  readonly externalLabels: Readonly<Record<string, string>>;
  /** Labels that distinguish pools. */
  readonly nodeLabels: readonly string[];
  readonly receivers: AlertReceivers;
  /** ConfigMap of receivers' CAs; undefined when none is named. */
  readonly authoritiesConfigMap: pulumi.Input<string> | undefined;
  /** Secret with `alertmanager.yaml`; undefined when nothing is secret. */
  readonly alertmanagerSecret: pulumi.Input<string> | undefined;
}

/** Smallest volume with room for the write-ahead log. */
const MIN_STORAGE_GIB = 2;

/** The rest is for the write-ahead log and compaction. */
const BLOCKS_SHARE = 0.8;

/** Monitoring must outlast models on a full node. */
const BEFORE_MODELS = { priorityClassName: PRIORITY.platform.name } as const;

/** Chart rules with a counterpart in `rules/`. */
const REPLACED_RULES = [
  "TargetDown",
  "KubePersistentVolumeFillingUp",
  "KubeJobFailed",
  "KubeNodeNotReady",
  "KubeNodeUnreachable",
  "KubeHpaMaxedOut",
];

/**
 * They assume room without the largest node, untrue where one machine has the GPUs (chart 88.5.3,
 * kubernetes-resources).
 */
const UNTRUE_RULES = ["KubeCPUOvercommit", "KubeMemoryOvercommit"];

/** kube-state-metrics' allow list. */
function nodeLabels(labels: readonly string[]): string[] {
  return labels.length === 0 ? [] : [`nodes=[${labels.join(",")}]`];
}

/**
 * All but node-exporter passes Pod Security `restricted`, so it has its own namespace. @throws
 * RangeError when volume or retention is too small.
 */
export function stackValues(settings: StackSettings): HelmValues {
  const { size, storageGiB, retentionDays } = settings;
  if (!(storageGiB >= MIN_STORAGE_GIB)) {
    throw new RangeError(`observability storage is ${storageGiB} GiB: Prometheus needs at least ${MIN_STORAGE_GIB}`);
  }
  if (!(retentionDays >= 1)) {
    throw new RangeError(`observability retention is ${retentionDays} days: it must be at least 1`);
  }
  return {
    fullnameOverride: STACK_RELEASE,
    // A separate chart installs and upgrades CRDs.
    crds: { enabled: false },
    prometheus: prometheus(settings),
    alertmanager: alertmanager(settings),
    prometheusOperator: {
      ...BEFORE_MODELS,
      resources: { ...size.helper },
      prometheusConfigReloader: { resources: { ...size.helper } },
      admissionWebhooks: { patch: { ...BEFORE_MODELS, resources: { ...size.helper } } },
      // Endpoints are deprecated since Kubernetes 1.33.
      kubeletEndpointsEnabled: false,
      kubeletEndpointSliceEnabled: true,
    },
    grafana: grafana(size),
    "kube-state-metrics": {
      ...BEFORE_MODELS,
      resources: { ...size.kubeStateMetrics },
      metricLabelsAllowlist: [...EXPORTED_LABELS, ...nodeLabels(settings.nodeLabels)],
      // No right to list the cluster's Secrets.
      collectorsExclude: ["secrets"],
    },
    "prometheus-node-exporter": {
      ...BEFORE_MODELS,
      namespaceOverride: NODE_METRICS_NAMESPACE,
      resources: { ...size.helper },
      // It reads the host, but needs no privilege for that.
      containerSecurityContext: {
        ...RESTRICTED_CONTAINER,
        seccompProfile: { type: "RuntimeDefault" },
      },
      // GPU nodes too, whatever their taints.
      tolerations: [{ operator: "Exists" }],
    },
    nodeExporter: { operatingSystems: { aix: { enabled: false }, darwin: { enabled: false } } },
    ...controlPlane(settings),
  };
}

function prometheus({
  size,
  stage,
  retentionDays,
  storageGiB,
  storageClass,
  externalLabels,
}: StackSettings): HelmValues {
  // False: every monitor and rule of the cluster, not those of this release only.
  const everywhere = { serviceMonitor: false, podMonitor: false, rule: false, probe: false, scrapeConfig: false };
  return {
    // With two replicas, graphs would flicker between them.
    service: { sessionAffinity: "ClientIP" },
    podDisruptionBudget: { enabled: size.prometheusReplicas > 1, ...EVICTS_UNREADY_PODS },
    prometheusSpec: {
      ...BEFORE_MODELS,
      ...Object.fromEntries(
        Object.entries(everywhere).map(([kind, labelled]) => [`${kind}SelectorNilUsesHelmValues`, labelled]),
      ),
      replicas: size.prometheusReplicas,
      externalLabels,
      podAntiAffinity: "soft",
      scrapeInterval: size.scrapeInterval,
      serviceDiscoveryRole: "EndpointSlice",
      retention: `${retentionDays}d`,
      retentionSize: `${Math.floor(storageGiB * BLOCKS_SHARE)}GiB`,
      walCompression: true,
      resources: { ...size.prometheus },
      storageSpec: {
        volumeClaimTemplate: {
          spec: volumeClaimSpec(storageGiB, storageClass),
        },
      },
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: stage === "production" ? "Retain" : "Delete",
        whenScaled: "Retain",
      },
    },
  };
}

function alertmanager({ size, receivers, alertmanagerSecret, authoritiesConfigMap }: StackSettings): HelmValues {
  return {
    // A budget on a single replica blocks drains.
    podDisruptionBudget: { enabled: size.alertmanagerReplicas > 1, ...EVICTS_UNREADY_PODS },
    ...(alertmanagerSecret === undefined && { config: alertRouting(receivers) }),
    alertmanagerSpec: {
      ...BEFORE_MODELS,
      replicas: size.alertmanagerReplicas,
      resources: { ...size.helper },
      automountServiceAccountToken: false,
      // Keys of receivers are credentials: not in the release's values.
      ...(authoritiesConfigMap !== undefined && { configMaps: [authoritiesConfigMap] }),
      ...(alertmanagerSecret !== undefined && { useExistingSecret: true, configSecret: alertmanagerSecret }),
    },
  };
}

function grafana(size: StackSize): HelmValues {
  return {
    ...BEFORE_MODELS,
    resources: { ...size.grafana },
    admin: { existingSecret: GRAFANA_ADMIN_SECRET, userKey: "admin-user", passwordKey: "admin-password" },
    // Dashboards and data sources are code: no volume.
    persistence: { enabled: false },
    // Runs as root.
    initChownData: { enabled: false },
    testFramework: { enabled: false },
    // The default reads the cluster's Secrets.
    rbac: { namespaced: true },
    sidecar: {
      resources: { ...size.helper },
      dashboards: { searchNamespace: OBSERVABILITY_NAMESPACE },
      datasources: { searchNamespace: OBSERVABILITY_NAMESPACE },
    },
    "grafana.ini": {
      // The NetworkPolicy blocks it.
      analytics: { check_for_updates: false, check_for_plugin_updates: false, reporting_enabled: false },
      plugins: { preinstall_disabled: true },
      security: { disable_gravatar: true },
      users: { allow_sign_up: false },
    },
  };
}

/** Managed clusters and k3s hide these: their targets would be down and alert. */
function controlPlane({ scrapeControlPlane: scraped }: Pick<StackSettings, "scrapeControlPlane">): HelmValues {
  const parts = ["kubeEtcd", "kubeScheduler", "kubeControllerManager", "kubeProxy"];
  const rules = ["etcd", "kubeControllerManager", "kubeProxy", "kubeSchedulerAlerting", "kubeSchedulerRecording"];
  return {
    ...Object.fromEntries(parts.map((part) => [part, { enabled: scraped }])),
    defaultRules: {
      rules: Object.fromEntries(rules.map((rule) => [rule, scraped])),
      disabled: Object.fromEntries([...REPLACED_RULES, ...UNTRUE_RULES].map((rule) => [rule, true])),
      appNamespacesOperator: "!~",
      appNamespacesTarget: MODEL_NAMESPACES,
    },
  };
}
