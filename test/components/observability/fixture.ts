import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { certManagerPods } from "../../../components/certificates/cert-manager";
import type { Cluster } from "../../../components/core/cluster";
import { Observability, type ObservabilityArgs } from "../../../components/observability/observability";
import {
  certManagerTarget,
  gatewayTargets,
  modelStoreTarget,
  modelTargets,
  type ScrapeTarget,
} from "../../../components/observability/targets";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { type Deployment, deploy } from "../../harness/deploy";

export const WEBHOOK = "https://alerts.example/hook/top-secret-token";
export const WEBHOOK_RECEIVER = { webhook: { port: 443, severities: ["critical", "warning"] } } as const;

/** A vLLM model with metrics, and an Ollama model without. */
export const ENDPOINTS: readonly ModelEndpoint[] = [
  {
    model: "chat",
    servedName: "chat",
    engine: "vllm",
    task: "chat",
    namespace: "model-chat",
    service: "chat",
    ports: { openai: 8000 },
    podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "chat" },
    scale: { apiVersion: "apps/v1", kind: "Deployment", name: "chat" },
    metrics: { port: 8000, path: "/metrics" },
  },
  {
    model: "small",
    servedName: "small",
    engine: "ollama",
    task: "chat",
    namespace: "model-small",
    service: "small",
    ports: { openai: 11434 },
    podLabels: { "app.kubernetes.io/name": "ollama", "app.kubernetes.io/instance": "small" },
    scale: { apiVersion: "apps/v1", kind: "StatefulSet", name: "small" },
  },
];

/** Of the models, the gateway, the store and cert-manager. */
export const TARGETS: readonly ScrapeTarget[] = [
  ...modelTargets(ENDPOINTS),
  ...gatewayTargets({
    namespace: "inference-gateway",
    podLabels: { "gateway.envoyproxy.io/owning-gateway-name": "inference" },
    metrics: [{ name: "envoy", port: 19001, path: "/stats/prometheus", droppedWith: "error_type" }],
  }),
  modelStoreTarget({ namespace: "model-store", podLabels: { "app.kubernetes.io/name": "store-metrics" }, port: 9101 }),
  certManagerTarget(certManagerPods),
];

export const NVIDIA_POOL = {
  vendor: "nvidia",
  nodeSelector: { pool: "a10" },
  tolerations: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
} as const;

export const AMD_POOL = {
  vendor: "amd",
  nodeSelector: { pool: "mi300x" },
  tolerations: [{ key: "amd.com/gpu", value: "present", effect: "NoSchedule" }],
} as const;

function cluster(overrides: Partial<Cluster>): Cluster {
  return {
    provider: new kubernetes.Provider("cluster"),
    kubeconfig: undefined,
    clusterIdentifier: undefined,
    pools: {},
    volumeClass: undefined,
    networkPolicies: "present",
    gpuSoftware: "present",
    workloadIdentity: undefined,
    ready: [],
    gpusReady: [],
    poolsReady: {},
    storageClass: "encrypted",
    volumesGrow: true,
    gpuExporters: "platform",
    privateCidrs: [],
    apiServerCidrs: [],
    loadBalancer: ({ chosen }) => ({ annotations: chosen, fixedNodePorts: false }),
    ...overrides,
  };
}

/** The whole component on a cluster with both kinds of GPU. */
export function deployObservability(
  overrides: Partial<ObservabilityArgs> = {},
  clusterOverrides: Partial<Cluster> = {},
): Promise<Deployment> {
  return deploy(() => {
    const home = cluster(clusterOverrides);
    new Observability(
      "observability",
      {
        targets: TARGETS,
        gpuPools: [NVIDIA_POOL, AMD_POOL],
        cluster: home,
        stage: "production",
        profile: "full",
        retentionDays: 15,
        storageGiB: 50,
        receivers: WEBHOOK_RECEIVER,
        receiverSecrets: { alertWebhookUrl: pulumi.secret(WEBHOOK) },
        externalLabels: { environment: "test", cluster: "edge/box" },
        ...overrides,
      },
      { provider: home.provider },
    );
  });
}

const RELEASE = "kubernetes:helm.sh/v3:Release";

/** Values of a Helm release. */
export function releaseValues(deployment: Deployment, release: string): Record<string, unknown> {
  return deployment.resource(RELEASE, release).inputs.values as Record<string, unknown>;
}
