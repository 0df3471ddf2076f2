import { findShape, type MachineShape } from "../../catalog/shapes";
import type { RecordedResource } from "../../offline/run";
import type { ModelPlan, PoolPlan } from "../../planner/types";
import type { PlanResult, ReportedViolation } from "../../report/result";
import { memoryVerdict } from "../harness/plans";

/** A model on one GPU of pool "shared", unless said otherwise. */
export function modelPlan(changes: Partial<ModelPlan> & Pick<ModelPlan, "name">): ModelPlan {
  return {
    servedName: changes.name,
    engine: "vllm",
    engineVersion: "0.11.2",
    task: "chat",
    source: { kind: "huggingface", repository: "example/model", revision: "4f2c1b9" },
    loading: "stream",
    pool: "shared",
    shape: "g6.12xlarge",
    gpuVendor: "nvidia",
    gpuModel: "NVIDIA L4",
    cpuArch: "amd64",
    gpusPerNode: 1,
    tensorParallel: 1,
    pipelineParallel: 1,
    nodesPerReplica: 1,
    minReplicas: 1,
    maxReplicas: 1,
    contextTokens: 8192,
    concurrency: 16,
    gpuMemoryUtilization: 0.9,
    takesImages: false,
    keepsStates: false,
    kvCacheDtype: "auto",
    format: "BF16",
    memoryPerGpu: { weightsGiB: 9.4, kvCacheGiB: 5.3, overheadGiB: 1.8, totalGiB: 16.5, limitGiB: 19.7 },
    verdict: memoryVerdict(),
    kvTokens: 140_000,
    totalParametersB: 8.03,
    weightsGB: 16.1,
    modelStorageGiB: 23,
    startupBudgetSeconds: 95,
    drainSeconds: 3600,
    resources: {
      cpu: 10,
      memoryGiB: 40,
      ephemeralStorageGiB: 10,
      sharedMemoryGiB: 1,
      gpus: 1,
      gpuResource: "nvidia.com/gpu",
    },
    nodeSelector: {},
    tolerations: [],
    hourlyUsd: 1.15,
    monthlyUsd: 839.77,
    sizing: {
      parametersB: 8.03,
      bits: 16,
      shapeGpuMemoryGB: 96,
      ruleMemoryGB: 19.3,
      ruleNodes: 1,
      exactNodes: 1,
      difference: "Both say one node.",
    },
    capacityTable: undefined,
    notes: ["basis: tensors of config.json"],
    ...changes,
  };
}

/** One node that is always on, unless said otherwise. */
export function poolPlan(changes: Partial<PoolPlan> & Pick<PoolPlan, "name" | "shape">): PoolPlan {
  const { minNodes = 1, usdPerNodeHour = 1 } = changes;
  return {
    role: changes.shape.gpu ? "gpu" : "cpu",
    minNodes,
    maxNodes: minNodes,
    usdPerNodeHour,
    hourlyUsd: minNodes * usdPerNodeHour,
    monthlyUsd: minNodes * usdPerNodeHour * 730,
    maxMonthlyUsd: (changes.maxNodes ?? minNodes) * usdPerNodeHour * 730,
    scheduledNodeHours: 0,
    hoursPerDay: 24,
    selector: {},
    labels: {},
    taints: [],
    startupTaints: [],
    localDisks: false,
    confidential: false,
    gpusClaimed: 0,
    gpusTotal: minNodes * (changes.shape.gpu?.count ?? 0),
    ...changes,
  };
}

export function shape(name: string): MachineShape {
  const found = findShape(name);
  if (!found) {
    throw new Error(`no shape "${name}"`);
  }
  return found;
}

export function resource(name: string, type: string, parent?: RecordedResource): RecordedResource {
  const path = parent ? `${parent.urn.split("::")[2]}$${type}` : type;
  return {
    urn: `urn:pulumi:aws-prod::inference-stacks::${path}::${name}`,
    type,
    name,
    parent: parent?.urn,
    custom: !type.startsWith("inference:") && !type.startsWith("pulumi:"),
    inputs: { token: "a-secret-value" },
    secretInputs: ["token"],
    provider: undefined,
    dependsOn: [],
    waitsFor: [],
    origins: {},
    options: { protect: false, retainOnDelete: false, deleteBeforeReplace: false, ignoreChanges: [] },
  };
}

const stack = resource("aws-prod", "pulumi:pulumi:Stack");
const serving = resource("llama-405b", "inference:serving:Model", stack);
const storage = resource("storage", "inference:storage:ModelStore", stack);
const deployment = resource("llama-405b-workers", "kubernetes:apps/v1:Deployment", serving);
const bucket = {
  ...resource("models", "aws:s3/bucket:Bucket", storage),
  options: { protect: true, retainOnDelete: true, deleteBeforeReplace: false, ignoreChanges: [] },
};

export const resources: readonly RecordedResource[] = [
  stack,
  serving,
  deployment,
  resource("llama-405b", "kubernetes:core/v1:Service", serving),
  storage,
  bucket,
];

export const advisory: ReportedViolation = {
  policy: "host-memory",
  severity: "advisory",
  resource: "pools.shared",
  message: "g6.12xlarge has 192 GiB of host memory; cold starts read from disk.",
};

export const mandatory: ReportedViolation = {
  policy: "monthly-budget",
  severity: "mandatory",
  resource: "budget.monthlyUsd",
  message: "84246.05 USD a month, 4246.05 too many. Lower minNodes or raise the budget.",
};

/** Four models on three pools and a system pool: one over two nodes, two that share a node, one on CPUs. */
export const planResult: PlanResult = {
  cluster: { kind: "aws", provision: "existing", scope: "all" },
  plan: {
    environment: "aws-prod",
    stage: "production",
    pools: [
      poolPlan({
        name: "system",
        role: "system",
        shape: shape("m7i.xlarge"),
        minNodes: 2,
        maxNodes: 4,
        usdPerNodeHour: 0.2016,
      }),
      poolPlan({
        name: "large",
        shape: shape("p5.48xlarge"),
        minNodes: 2,
        maxNodes: 4,
        usdPerNodeHour: 55.04,
        gpusClaimed: 16,
      }),
      poolPlan({ name: "shared", shape: shape("g6.12xlarge"), usdPerNodeHour: 4.6016, gpusClaimed: 3 }),
      poolPlan({ name: "cpu", shape: shape("m7i.4xlarge"), maxNodes: 2, usdPerNodeHour: 0.8064 }),
    ],
    models: [
      modelPlan({
        name: "llama-405b",
        servedName: "llama-3.1-405b-instruct",
        pool: "large",
        shape: "p5.48xlarge",
        gpuModel: "NVIDIA H100 80GB SXM",
        gpusPerNode: 8,
        tensorParallel: 8,
        pipelineParallel: 2,
        nodesPerReplica: 2,
        maxReplicas: 2,
        contextTokens: 16_384,
        concurrency: 32,
        memoryPerGpu: { weightsGiB: 47.3, kvCacheGiB: 16.2, overheadGiB: 5.1, totalGiB: 68.6, limitGiB: 71.5 },
        totalParametersB: 405.85,
        weightsGB: 811.7,
        modelStorageGiB: 1134,
        startupBudgetSeconds: 610,
        drainSeconds: 3600,
        resources: {
          cpu: 185,
          memoryGiB: 1290,
          ephemeralStorageGiB: 10,
          sharedMemoryGiB: 32,
          gpus: 8,
          gpuResource: "nvidia.com/gpu",
        },
        hourlyUsd: 110.08,
        monthlyUsd: 80_358.4,
        sizing: {
          parametersB: 405.85,
          bits: 16,
          shapeGpuMemoryGB: 640,
          ruleMemoryGB: 974,
          ruleNodes: 2,
          exactNodes: 2,
          difference:
            "The rule counts 20% for the KV cache; 32 requests of 16,384 tokens need 25%. Both say two nodes.",
        },
        nodeLink: { transport: "tcp", hostNetwork: false, networks: [], environment: {} },
        notes: ["basis: tensors of config.json", "the KV cache has the model's own number format"],
      }),
      modelPlan({
        name: "qwen-8b",
        servedName: "qwen3-8b",
        gpusPerNode: 2,
        tensorParallel: 2,
        resources: {
          cpu: 20,
          memoryGiB: 80,
          ephemeralStorageGiB: 10,
          sharedMemoryGiB: 8,
          gpus: 2,
          gpuResource: "nvidia.com/gpu",
        },
        hourlyUsd: 3.07,
        monthlyUsd: 2239.45,
      }),
      modelPlan({
        name: "reranker",
        task: "rerank",
        domain: "search",
        maxReplicas: 2,
        memoryPerGpu: { weightsGiB: 1.1, kvCacheGiB: 0, overheadGiB: 1.6, totalGiB: 2.7, limitGiB: 19.7 },
        weightsGB: 1.1,
        totalParametersB: 0.57,
        modelStorageGiB: 2,
        startupBudgetSeconds: 45,
        drainSeconds: 3600,
        hourlyUsd: 1.53,
        monthlyUsd: 1119.72,
      }),
      modelPlan({
        name: "assistant",
        engine: "ollama",
        engineVersion: "0.13.0",
        source: { kind: "ollama", tag: "llama3.2:3b" },
        loading: "copy",
        pool: "cpu",
        shape: "m7i.4xlarge",
        gpuVendor: undefined,
        gpuModel: undefined,
        gpusPerNode: 0,
        minReplicas: 2,
        maxReplicas: 4,
        contextTokens: 4096,
        concurrency: 4,
        memoryPerGpu: { weightsGiB: 1.9, kvCacheGiB: 1.8, overheadGiB: 0.9, totalGiB: 4.6, limitGiB: 51.2 },
        weightsGB: 2,
        totalParametersB: 3.21,
        modelStorageGiB: 3,
        startupBudgetSeconds: 30,
        drainSeconds: 3600,
        resources: { cpu: 7, memoryGiB: 4.75, ephemeralStorageGiB: 10, sharedMemoryGiB: 0, gpus: 0 },
        hourlyUsd: 0.13,
        monthlyUsd: 95.2,
        sizing: undefined,
      }),
    ],
    unplaced: [],
    externalModels: [],
    groups: [],
    tenants: [],
    storage: { models: ["llama-405b", "qwen-8b", "reranker"], bucket: "models", sizeGiB: 1159 },
    cost: {
      hourlyUsd: 115.8912,
      monthlyUsd: 84_600.58,
      maxMonthlyUsd: 165_842.14,
      monthlyBudgetUsd: 90_000,
      notPriced: ["volumes", "load balancers"],
      services: [
        {
          kind: "volume",
          name: "metrics",
          count: 2,
          sizeGiB: 50,
          hourlyUsd: 0,
          monthlyUsd: 0,
          maxMonthlyUsd: 0,
          note: "0 USD for each GB and month (a test)",
        },
      ],
      items: [
        {
          name: "cpu",
          hourlyUsd: 0.8064,
          monthlyUsd: 588.67,
          maxMonthlyUsd: 1177.34,
          note: "12.00 USD are free",
        },
      ],
    },
    problems: [],
  },
  alerts: [{ receiver: "slack", severities: ["critical", "warning"] }, { receiver: "heartbeat" }],
  resources,
  policies: { passed: 24, failed: 0 },
  violations: [advisory],
  seconds: 1.4,
};

/** The same plan over budget, with a resource that breaks a policy. */
export const refusedResult: PlanResult = {
  ...planResult,
  plan: { ...planResult.plan, cost: { ...planResult.plan.cost, monthlyBudgetUsd: 80_000 } },
  policies: { passed: 22, failed: 2 },
  violations: [
    advisory,
    mandatory,
    {
      policy: "resources-set",
      severity: "mandatory",
      resource: deployment.urn,
      message: "container worker has no memory limit: set resources.limits.memory.",
    },
  ],
};
