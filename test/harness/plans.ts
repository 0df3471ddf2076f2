import type { MemoryVerdict } from "../../planner/memory/verdict";
import { storedModels } from "../../planner/storage";
import type { StoragePlan } from "../../planner/storage-plan";
import type { ModelPlan } from "../../planner/types";

/** A verdict of ordinary values, overridden where a test looks. */
export function memoryVerdict(overrides: Partial<MemoryVerdict> = {}): MemoryVerdict {
  return {
    answer: "fits",
    decides: "KV cache",
    compared: { needGiB: 17, limitGiB: 20 },
    intervalGiB: { below: 0.4, above: 0.5 },
    basis: "vLLM 0.33.0 not measured",
    coverage: 0.95,
    ...overrides,
  };
}

/** A planned model with ordinary values (8B, vLLM, one A10), overridden where a test looks. */
export function modelPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return {
    name: "llama-8b",
    servedName: "llama-3.1-8b-instruct",
    engine: "vllm",
    engineVersion: "0.33.0",
    task: "chat",
    source: { kind: "huggingface", repository: "meta-llama/Llama-3.1-8B-Instruct", revision: "main" },
    loading: "copy",
    pool: "a10",
    shape: "VM.GPU.A10.1",
    gpuVendor: "nvidia",
    gpuModel: "A10",
    cpuArch: "amd64",
    gpusPerNode: 1,
    tensorParallel: 1,
    pipelineParallel: 1,
    nodesPerReplica: 1,
    minReplicas: 1,
    maxReplicas: 2,
    contextTokens: 8192,
    concurrency: 16,
    gpuMemoryUtilization: 0.92,
    takesImages: false,
    keepsStates: false,
    kvCacheDtype: "auto",
    format: "BF16",
    memoryPerGpu: { weightsGiB: 14.99, kvCacheGiB: 2.5, overheadGiB: 1.2, totalGiB: 18.69, limitGiB: 20.61 },
    verdict: memoryVerdict(),
    kvTokens: 30_000,
    totalParametersB: 8.03,
    weightsGB: 16.06,
    modelStorageGiB: 23,
    startupBudgetSeconds: 400,
    drainSeconds: 3600,
    resources: {
      cpu: 14,
      memoryGiB: 56,
      ephemeralStorageGiB: 33,
      sharedMemoryGiB: 1,
      gpus: 1,
      gpuResource: "nvidia.com/gpu",
    },
    nodeSelector: { "inference-stacks.io/pool": "a10" },
    tolerations: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
    hourlyUsd: 0.75,
    monthlyUsd: 547.5,
    sizing: undefined,
    capacityTable: undefined,
    notes: [],
    ...overrides,
  };
}

/** The same model on Ray Serve, one A10 to each of two replicas. */
export function rayPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({ engine: "ray", engineVersion: "2.56.0", minReplicas: 2, maxReplicas: 3, ...overrides });
}

/** A small model on Ollama, without a GPU. */
export function ollamaPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({
    name: "llama-3b",
    servedName: "llama-3.2-3b",
    engine: "ollama",
    engineVersion: "0.32.15",
    source: { kind: "ollama", tag: "llama3.2:3b" },
    pool: "cpu",
    gpuVendor: undefined,
    gpuModel: undefined,
    gpusPerNode: 0,
    weightsGB: 2.02,
    modelStorageGiB: 3,
    startupBudgetSeconds: 120,
    drainSeconds: 3600,
    resources: { cpu: 4, memoryGiB: 6, ephemeralStorageGiB: 10, sharedMemoryGiB: 0, gpus: 0 },
    nodeSelector: { "inference-stacks.io/pool": "cpu" },
    tolerations: [],
    ...overrides,
  });
}

/** That model, and another that joins its server. */
export function sharedOllamaPlans(
  host: Partial<ModelPlan> = {},
  guest: Partial<ModelPlan> = {},
): [ModelPlan, ModelPlan] {
  const first = ollamaPlan(host);
  const second = ollamaPlan({
    name: "finder",
    servedName: "finder",
    source: { kind: "ollama", tag: "other:1b" },
    minReplicas: first.minReplicas,
    maxReplicas: first.maxReplicas,
    resources: { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0, sharedMemoryGiB: 0, gpus: 0 },
    serverOf: first.name,
    ...guest,
  });
  const { totalGiB } = first.memoryPerGpu;
  const server = {
    models: [first.name, second.name],
    memoryPerGpu: { ...first.memoryPerGpu, totalGiB: 2 * totalGiB, limitGiB: 50 },
    mostGiB: 2 * totalGiB + 1,
    storageGiB: first.modelStorageGiB + second.modelStorageGiB,
  };
  return [{ ...first, server }, second];
}

/** A model whose replicas span two nodes of eight H100. */
export function groupPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({
    name: "llama-405b",
    servedName: "llama-3.1-405b-instruct",
    pool: "h100",
    shape: "BM.GPU.H100.8",
    gpuModel: "H100",
    gpusPerNode: 8,
    tensorParallel: 8,
    pipelineParallel: 2,
    nodesPerReplica: 2,
    maxReplicas: 1,
    weightsGB: 812,
    modelStorageGiB: 1135,
    startupBudgetSeconds: 3000,
    drainSeconds: 3600,
    resources: {
      cpu: 216,
      memoryGiB: 1280,
      ephemeralStorageGiB: 1145,
      sharedMemoryGiB: 32,
      gpus: 8,
      gpuResource: "nvidia.com/gpu",
    },
    nodeSelector: { "inference-stacks.io/pool": "h100" },
    ...overrides,
  });
}

/** The plan of a store for these models. */
export function storagePlan(models: readonly ModelPlan[]): StoragePlan {
  return { models: storedModels(models).map(({ name }) => name), bucket: "models", sizeGiB: 100 };
}
