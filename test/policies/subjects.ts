/** Resources that policies judge: what every policy accepts, with what a case changes. */
import { unknown as pulumiUnknown } from "@pulumi/pulumi/output";
import type { RecordedInputs } from "../../policies/evaluate";

/** What an offline preview holds in place of a value that only the deployment brings. */
export const UNKNOWN: unknown = pulumiUnknown;

type Properties = Readonly<Record<string, unknown>>;

export function resource(
  type: string,
  inputs: Properties,
  options: { name?: string; protect?: boolean; secretInputs?: string[] } = {},
): RecordedInputs {
  const name = options.name ?? "subject";
  return {
    urn: `urn:pulumi:test::inference-stacks::${type}::${name}`,
    type,
    name,
    custom: true,
    inputs,
    secretInputs: options.secretInputs ?? [],
    options: { protect: options.protect ?? false },
  };
}

const GOOD_CONTAINER = {
  name: "engine",
  image: "docker.io/vllm/vllm-openai:v0.33.0",
  resources: {
    requests: { cpu: "1", memory: "2Gi", "ephemeral-storage": "1Gi" },
    limits: { cpu: "1", memory: "2Gi", "ephemeral-storage": "1Gi" },
  },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
};

/** A container that every policy accepts, with what a case changes. */
export function container(changes: Properties = {}): Properties {
  return { ...GOOD_CONTAINER, ...changes };
}

export function gpuContainer(gpus: unknown = "1", changes: Properties = {}): Properties {
  const { requests, limits } = GOOD_CONTAINER.resources;
  const claim = { "nvidia.com/gpu": gpus };
  return container({ resources: { requests: { ...requests, ...claim }, limits: { ...limits, ...claim } }, ...changes });
}

/** A pod spec that every policy accepts, with what a case changes. */
export function podSpec(changes: Properties = {}): Properties {
  return { automountServiceAccountToken: false, enableServiceLinks: false, containers: [container()], ...changes };
}

/** Pod templates where the kinds that make pods keep them. */
export const HOMES: Readonly<Record<string, (template: Properties) => RecordedInputs>> = {
  Pod: (template) => resource("kubernetes:core/v1:Pod", withNamespace(template)),
  Deployment: (template) => workload("apps/v1", "Deployment", { template }),
  StatefulSet: (template) => workload("apps/v1", "StatefulSet", { template }),
  DaemonSet: (template) => workload("apps/v1", "DaemonSet", { template }),
  Job: (template) => workload("batch/v1", "Job", { template }),
  CronJob: (template) => workload("batch/v1", "CronJob", { jobTemplate: { spec: { template } } }),
  LeaderWorkerSet: (template) =>
    workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {
      leaderWorkerTemplate: { size: 2, workerTemplate: template },
    }),
  RayService: (template) =>
    workload("ray.io/v1", "RayService", { rayClusterConfig: { workerGroupSpecs: [{ groupName: "gpu", template }] } }),
  ScaledJob: (template) => workload("keda.sh/v1alpha1", "ScaledJob", { jobTargetRef: { template } }),
};

export function deployment(spec: Properties, metadata: Properties = {}): RecordedInputs {
  return workload("apps/v1", "Deployment", { template: { metadata, spec } });
}

export function workload(
  apiVersion: string,
  kind: string,
  spec: Properties,
  namespace: unknown = "model-chat",
): RecordedInputs {
  return object(apiVersion, kind, { spec }, { namespace });
}

/** A Kubernetes object named `chat`. */
export function object(apiVersion: string, kind: string, body: Properties, metadata: Properties = {}): RecordedInputs {
  return resource(`kubernetes:${apiVersion}:${kind}`, { metadata: { name: "chat", ...metadata }, ...body });
}

function withNamespace(template: Properties): Properties {
  return {
    ...template,
    metadata: { name: "chat", namespace: "model-chat", ...(template.metadata as object | undefined) },
  };
}

export function release(inputs: Properties): RecordedInputs {
  return resource("kubernetes:helm.sh/v3:Release", {
    name: "grafana",
    namespace: "observability",
    chart: "grafana",
    version: "10.1.0",
    values: {},
    ...inputs,
  });
}

const GOOD_PLAN = {
  environment: "test",
  stage: "production",
  pools: [
    {
      name: "a10",
      role: "gpu",
      selector: { "inference-stacks.io/pool": "a10" },
      taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }],
    },
    { name: "system", role: "system", selector: { "inference-stacks.io/pool": "system" }, taints: [] },
  ],
  models: [
    {
      name: "chat",
      memoryPerGpu: { totalGiB: 20, limitGiB: 21.5 },
      verdict: { intervalGiB: { below: 0.5, above: 0.5 }, basis: "vLLM 0.33.0 not measured" },
    },
  ],
  cost: { hourlyUsd: 1, monthlyUsd: 730 },
};

/** The plan's ConfigMap, with what a case changes; text stands for itself. */
export function plan(changes: Properties | string = {}): RecordedInputs {
  const text = typeof changes === "string" ? changes : JSON.stringify({ ...GOOD_PLAN, ...changes });
  return object(
    "core/v1",
    "ConfigMap",
    { data: { "plan.json": text } },
    { name: "inference-plan", namespace: "inference-system" },
  );
}
