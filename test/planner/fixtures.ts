import { findModel, readModelConfigFile } from "../../catalog/models";
import { findShape, type MachineShape } from "../../catalog/shapes";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { parseModelConfigText } from "../../planner/model/config-json";
import type { ModelRequest, PlanRequest, PoolRequest } from "../../planner/request";
import type { Traffic } from "../../planner/traffic";

/** Four requests a second at the peak, as long as those of chats. */
export const CHAT_TRAFFIC: Traffic = {
  requestsPerSecond: 2,
  peakFactor: 2,
  inputTokens: 1000,
  outputTokens: 300,
  sharedPrefixTokens: 0,
  lengthVariation: 1,
};

/** A machine of the catalogue. */
export function shapeNamed(name: string): MachineShape {
  const shape = findShape(name);
  if (!shape) {
    throw new Error(`no shape ${name} in the catalogue`);
  }
  return shape;
}

/** The GPUs of a machine that has some. */
export function gpuOf(shape: MachineShape): NonNullable<MachineShape["gpu"]> {
  if (!shape.gpu) {
    throw new Error(`${shape.name} has no GPU`);
  }
  return shape.gpu;
}

const architectures = new Map<string, ModelArchitecture>();

/** Architecture of a model of the catalogue, from its real config.json: the same object each time, as in an environment. */
export function architectureOf(name: string): ModelArchitecture {
  const found = architectures.get(name) ?? readArchitecture(name);
  architectures.set(name, found);
  return found;
}

function readArchitecture(name: string): ModelArchitecture {
  const entry = findModel(name);
  if (!entry) {
    throw new Error(`no model ${name} in the catalogue`);
  }
  return parseModelConfigText(readModelConfigFile(entry), { name });
}

/** A vLLM model of the catalogue with one replica, 8,192 tokens × 16 requests. */
export function modelOf(catalogueName: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    name: catalogueName.replaceAll(".", "-"),
    servedName: catalogueName,
    engine: "vllm",
    engineVersion: "0.33.0",
    task: "chat",
    architecture: architectureOf(catalogueName),
    source: { kind: "huggingface", repository: `org/${catalogueName}`, revision: "main" },
    loading: "copy",
    contextTokens: 8192,
    concurrency: 16,
    minReplicas: 1,
    maxReplicas: 1,
    kvCacheDtype: "auto",
    ...changes,
  };
}

/** A pool of a catalogue shape, from no node to `maxNodes`, at its list price. */
export function poolOf(shapeName: string, maxNodes: number, changes: Partial<PoolRequest> = {}): PoolRequest {
  const shape = shapeNamed(shapeName);
  const name = changes.name ?? shapeName.toLowerCase().replaceAll(".", "-");
  return {
    name,
    role: shape.gpu ? "gpu" : "cpu",
    shape,
    minNodes: 0,
    maxNodes,
    usdPerNodeHour: shape.price && "usdPerHour" in shape.price ? shape.price.usdPerHour : 0,
    hoursPerDay: 24,
    dedicatedTo: [],
    selector: { "inference-stacks.io/pool": name },
    labels: { "inference-stacks.io/pool": name },
    ...changes,
  };
}

/** An environment with these pools and models, beside a system pool, so that whole nodes are left to models. */
export function environmentOf(
  pools: readonly PoolRequest[],
  models: readonly ModelRequest[],
  changes: Partial<PlanRequest> = {},
): PlanRequest {
  return {
    environment: "test",
    stage: "production",
    pools: [poolOf("m7i.2xlarge", 3, { name: "system", role: "system", minNodes: 2 }), ...pools],
    models,
    storage: { bucket: "models", registryGbps: 1, storeGbps: 10 },
    drainSeconds: 3600,
    ...changes,
  };
}
