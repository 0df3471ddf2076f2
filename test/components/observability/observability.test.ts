import {
  type IPodMonitor,
  PodMonitor,
} from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { beforeAll, describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { MODEL_NAMESPACES } from "../../../components/observability/model-namespaces";
import { STACK_SIZES } from "../../../components/observability/stack-sizes";
import { stackValues } from "../../../components/observability/stack-values";
import { distinctTargets } from "../../../components/observability/targets";
import type { Deployment } from "../../harness/deploy";
import { deployObservability, releaseValues, WEBHOOK } from "./fixture";
import { REMOTE_RECEIVERS } from "./receivers";

const STACK = "observability-metrics-stack";

describe("Observability with GPUs, a store and a webhook", () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deployObservability();
  });

  it("uses only values that the pinned charts know", () => {
    const releases = {
      "prometheus-operator-crds": "observability-metrics-crds",
      "kube-prometheus-stack": STACK,
      "dcgm-exporter": "observability-gpus-nvidia",
      "amd-device-metrics-exporter": "observability-gpus-amd",
    };
    expect(
      deployment
        .ofType("kubernetes:helm.sh/v3:Release")
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.values(releases).sort());
    for (const [chart, release] of Object.entries(releases)) {
      expect(chartValueProblems(chart, releaseValues(deployment, release))).toEqual([]);
    }
  });

  it("takes every monitor and rule of the cluster, keeps what was asked for, and sizes the disk", () => {
    expect(releaseValues(deployment, STACK)).toMatchObject({
      crds: { enabled: false },
      prometheus: {
        prometheusSpec: {
          serviceMonitorSelectorNilUsesHelmValues: false,
          podMonitorSelectorNilUsesHelmValues: false,
          ruleSelectorNilUsesHelmValues: false,
          probeSelectorNilUsesHelmValues: false,
          scrapeConfigSelectorNilUsesHelmValues: false,
          replicas: 2,
          retention: "15d",
          retentionSize: "40GiB",
          storageSpec: {
            volumeClaimTemplate: {
              spec: { storageClassName: "encrypted", resources: { requests: { storage: "50Gi" } } },
            },
          },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" },
        },
      },
      kubeEtcd: { enabled: false },
      kubeScheduler: { enabled: false },
      defaultRules: {
        rules: { etcd: false },
        disabled: { TargetDown: true, KubeCPUOvercommit: true, KubeMemoryOvercommit: true },
      },
      "kube-state-metrics": {
        metricLabelsAllowlist: [
          "namespaces=[inference-stacks.io/model]",
          "deployments=[inference-stacks.io/model]",
          "statefulsets=[inference-stacks.io/model,leaderworkerset.sigs.k8s.io/group-index]",
          "pods=[inference-stacks.io/model,leaderworkerset.sigs.k8s.io/worker-index,batch.kubernetes.io/job-name,inference-stacks.io/role]",
        ],
        collectorsExclude: ["secrets"],
      },
      "prometheus-node-exporter": { namespaceOverride: "node-metrics" },
      grafana: { rbac: { namespaced: true }, initChownData: { enabled: false } },
    });
  });

  it("bounds every container that the charts let it bound", () => {
    const values = releaseValues(deployment, STACK) as Record<string, Record<string, unknown>>;
    const bounded = { requests: expect.anything(), limits: { cpu: expect.anything(), memory: expect.anything() } };
    expect(values).toMatchObject({
      prometheus: { prometheusSpec: { resources: bounded } },
      alertmanager: { alertmanagerSpec: { resources: bounded } },
      prometheusOperator: {
        resources: bounded,
        prometheusConfigReloader: { resources: bounded },
        admissionWebhooks: { patch: { resources: bounded } },
      },
      grafana: { resources: bounded, sidecar: { resources: bounded } },
      "kube-state-metrics": { resources: bounded },
      "prometheus-node-exporter": { resources: bounded },
    });
  });

  it("keeps the webhook's address and Grafana's password in Secrets, out of the release", () => {
    const secrets = deployment.ofType("kubernetes:core/v1:Secret");
    expect(secrets.map(({ name }) => name).sort()).toEqual([
      "observability-metrics-alertmanager-config",
      "observability-metrics-grafana-admin",
    ]);
    for (const { secretInputs } of secrets) {
      expect(secretInputs).toContain("stringData");
    }
    const elsewhere = deployment.recording.resources.filter(({ type }) => type !== "kubernetes:core/v1:Secret");
    expect(JSON.stringify(elsewhere.map(({ inputs }) => inputs))).not.toContain(WEBHOOK);
    expect(releaseValues(deployment, STACK)).toMatchObject({
      alertmanager: { alertmanagerSpec: { useExistingSecret: true, configSecret: "alertmanager-config" } },
      grafana: { admin: { existingSecret: "grafana-admin" } },
    });
  });

  it("keeps only exporters out of the restricted Pod Security level", () => {
    const levels = deployment.ofType("kubernetes:core/v1:Namespace").map(({ inputs }) => {
      const { name, labels } = inputs.metadata as { name: string; labels: Record<string, string> };
      return [name, labels["pod-security.kubernetes.io/enforce"]];
    });
    expect(Object.fromEntries(levels)).toEqual({
      observability: "restricted",
      "node-metrics": "privileged",
      "gpu-metrics": "privileged",
    });
  });

  it("monitors what has metrics, with the model as label, and checks the store's certificate", () => {
    const monitors = deployment.ofKind("PodMonitor");
    expect(monitors.map(({ name }) => name).sort()).toEqual([
      "observability-monitors-cert-manager",
      "observability-monitors-gateway-envoy",
      "observability-monitors-model-store",
      "observability-monitors-models-vllm",
    ]);
    for (const { inputs } of monitors) {
      const monitor = new PodMonitor(inputs as ConstructorParameters<typeof PodMonitor>[0]);
      expect(() => monitor.validate()).not.toThrow();
      monitor.spec.podMetricsEndpoints = [{ interval: "often" }];
      expect(() => monitor.validate()).toThrow();
    }
    const specs = new Map(monitors.map(({ name, inputs }) => [name, inputs.spec]));
    expect(specs.get("observability-monitors-models-vllm")).toMatchObject({
      selector: { matchLabels: { "app.kubernetes.io/name": "vllm" } },
      namespaceSelector: { matchNames: ["model-chat"] },
      podMetricsEndpoints: [
        {
          portNumber: 8000,
          path: "/metrics",
          relabelings: expect.arrayContaining([
            {
              action: "replace",
              sourceLabels: ["__meta_kubernetes_pod_label_inference_stacks_io_model"],
              targetLabel: "model",
            },
            { action: "replace", targetLabel: "inference_engine", replacement: "vllm" },
          ]),
        },
      ],
    });
    expect(specs.get("observability-monitors-model-store")).toMatchObject({
      selector: { matchLabels: { "app.kubernetes.io/name": "store-metrics" } },
      podMetricsEndpoints: [{ portNumber: 9101, path: "/metrics" }],
    });
  });

  it("drops series with the label of a target, and no others", () => {
    const rules = deployment
      .ofKind("PodMonitor")
      .map(({ name, inputs }) => [
        name,
        (inputs as Partial<IPodMonitor>).spec?.podMetricsEndpoints?.[0]?.metricRelabelings,
      ]);
    expect(rules.filter(([, rule]) => rule !== undefined)).toEqual([
      ["observability-monitors-gateway-envoy", [{ action: "drop", sourceLabels: ["error_type"], regex: ".+" }]],
    ]);
  });

  it("holds no key of the model store, nor a certificate", () => {
    expect(deployment.ofKind("Certificate")).toEqual([]);
  });

  it("places GPU exporters on the pools of their vendor and keeps the workload's labels", () => {
    expect(releaseValues(deployment, "observability-gpus-amd")).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["mi300x"] }] }],
          },
        },
      },
      tolerations: [{ key: "amd.com/gpu", operator: "Equal", value: "present", effect: "NoSchedule" }],
      serviceMonitor: {
        enabled: true,
        honorLabels: true,
        relabelings: expect.arrayContaining([{ action: "labeldrop", regex: "namespace|pod|container" }]),
      },
    });
    expect(releaseValues(deployment, "observability-gpus-nvidia")).toMatchObject({
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    });
    expect(releaseValues(deployment, "observability-gpus-nvidia")).not.toHaveProperty("runtimeClassName");
  });
});

describe("Observability in other circumstances", () => {
  it("is small and disposable in development, without GPUs, store or webhook", async () => {
    const deployment = await deployObservability({
      profile: "light",
      stage: "development",
      gpuPools: [],
      targets: [],
      receivers: undefined,
      receiverSecrets: undefined,
    });
    expect(releaseValues(deployment, STACK)).toMatchObject({
      prometheus: { prometheusSpec: { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } },
      alertmanager: { alertmanagerSpec: { replicas: 1 } },
    });
    expect(deployment.ofType("kubernetes:helm.sh/v3:Release")).toHaveLength(2);
  });

  it("mounts the authorities of receivers in Alertmanager, also without any secret", async () => {
    const { email } = REMOTE_RECEIVERS;
    const { username: _, ...open } = email;
    const deployment = await deployObservability({
      receivers: { email: open },
      receiverSecrets: undefined,
      receiverAuthorities: { email: "PEM" },
    });
    const [authorities] = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .filter(({ name }) => /authorities/.test(name));
    expect(authorities?.inputs).toMatchObject({
      metadata: { name: "alertmanager-authorities", namespace: "observability" },
      data: { "email.pem": "PEM" },
    });
    const values = releaseValues(deployment, STACK);
    expect(values).toMatchObject({ alertmanager: { alertmanagerSpec: { configMaps: ["alertmanager-authorities"] } } });
    expect(chartValueProblems("kube-prometheus-stack", values)).toEqual([]);
  });

  it("installs no exporters where the cluster brings them", async () => {
    const deployment = await deployObservability({}, { gpuExporters: "present" });
    expect(deployment.ofType("kubernetes:helm.sh/v3:Release")).toHaveLength(2);
  });

  it("gives the exporter the cluster's runtime class, and no affinity where a pool is the whole cluster", async () => {
    const pool = { vendor: "nvidia", nodeSelector: {}, tolerations: [] } as const;
    const deployment = await deployObservability({
      gpuPools: [pool],
      gpuAccess: { nvidia: { runtimeClass: "nvidia" }, amd: { runtimeClass: "amd" } },
    });
    expect(releaseValues(deployment, "observability-gpus-nvidia")).toMatchObject({
      runtimeClassName: "nvidia",
      affinity: {},
      tolerations: [],
    });
  });

  it("scrapes the control plane only when asked", async () => {
    const deployment = await deployObservability({ scrapeControlPlane: true });
    expect(releaseValues(deployment, STACK)).toMatchObject({
      kubeEtcd: { enabled: true },
      defaultRules: { rules: { etcd: true } },
    });
  });
});

describe("what is refused", () => {
  const settings = {
    size: STACK_SIZES.light,
    stage: "development",
    storageClass: undefined,
    scrapeControlPlane: false,
    alertmanagerSecret: "secret",
    authoritiesConfigMap: undefined,
    externalLabels: {},
    nodeLabels: [],
    receivers: {},
  } as const;

  it("leaves pods of models to the alerts that know how long they take to start", () => {
    const sizes = { storageGiB: 10, retentionDays: 7 };
    expect(stackValues({ ...settings, ...sizes }).defaultRules).toMatchObject({
      appNamespacesOperator: "!~",
      appNamespacesTarget: MODEL_NAMESPACES,
    });
  });

  it.each([
    { storageGiB: 1, retentionDays: 7, message: "observability storage is 1 GiB: Prometheus needs at least 2" },
    { storageGiB: Number.NaN, retentionDays: 7, message: "observability storage is NaN GiB" },
    { storageGiB: 10, retentionDays: 0, message: "observability retention is 0 days: it must be at least 1" },
  ])("$storageGiB GiB for $retentionDays days", ({ message, ...sizes }) => {
    expect(() => stackValues({ ...settings, ...sizes })).toThrow(message);
  });

  it("two targets of one name", () => {
    const target = { name: "a", namespace: "b", podLabels: {}, port: 1, path: "/metrics" };
    expect(() => distinctTargets([target, target])).toThrow('two scrape targets are named "a" (b)');
    expect(distinctTargets([target])).toEqual([target]);
  });
});
