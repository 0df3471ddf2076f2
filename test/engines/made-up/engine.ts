/** The pure half of a made-up engine: `engines/phantom/index.ts`, if it existed. */
import { z } from "zod";
import { optionCatalogue } from "../../../catalog/engine-options";
import { type Engine, semanticVersionOf } from "../../../engines/engine";
import { engineSettings } from "../../../engines/settings";
import { toGiB } from "../../../names/units";
import { layerCaches } from "../../../planner/memory/kv-cache";
import { uncertaintyOf } from "../../../planner/memory/uncertainty";
import { judge } from "../../../planner/memory/verdict";
import { weightBytes } from "../../../planner/model/parameters";

const RULES = { settings: {}, refused: {}, memory: {}, advice: {} };

/** It takes its weights twice, and as many GPUs as there are layers of air. */
export const phantom: Engine = {
  label: "Phantom",
  summary: "made up",
  images: { nvidia: "phantom-cuda" },
  versionOf: semanticVersionOf,
  versionForm: { pattern: /^1\.\d\.\d$/, allowed: "a version of the first generation", example: "1.2.3" },
  imagesFor: ({ engineSettings }) => ({ nvidia: engineSettings?.glow ? "phantom-glow" : "phantom-cuda" }),
  sources: ["huggingface"],
  weightsFrom: "store",
  tasks: ["chat"],
  formats: { names: ["bf16"], takes: (format) => format === "bf16" },
  options: optionCatalogue(
    {
      about: "made up",
      record: "nowhere",
      engine: "phantom",
      version: "1.2.3",
      source: "made up",
      asOf: "2026-11-22",
      arguments: [{ name: "echo", kind: "integer" }],
      environment: [{ name: "PHANTOM_NOISE", kind: "switch" }],
    },
    { arguments: RULES, environment: RULES },
  ),
  variablePrefix: "PHANTOM_",
  settings: engineSettings(
    z.strictObject({
      beam: z.int().min(1).max(9).default(1).meta({ description: "Width of the beam.", unit: "answers", example: 3 }),
      glow: z.boolean().default(false).meta({ description: "Whether it is seen at night.", example: true }),
    }),
    {
      requested: ({ beam, glow }) => ({ maxNumSeqs: beam, engineSettings: { glow } }),
      outcome: ({ beam }) => ({ args: { echo: beam }, notes: [`a beam of ${beam}`], problems: [] }),
    },
  ),
  memoryByVersion: false,
  parallelism: { tensor: false, overNodes: false },
  estimate: (request) => {
    const weights = 2 * toGiB(weightBytes(request.architecture).checkpointBytes);
    const cache = layerCaches(request.architecture, "bfloat16", 1);
    const oneRequestGiB = toGiB(
      cache.reduce((sum, { bytesPerToken }) => sum + bytesPerToken, 0) * request.contextTokens,
    );
    const kvPoolGiB = Math.max(0, request.gpuMemoryGiB - weights);
    const need = {
      stage: 0,
      layers: cache.length,
      parts: { weights, kvCache: oneRequestGiB * request.concurrency, activation: 0, nonTorch: 0, graphs: 0 },
      oneRequestGiB,
      budgetGiB: request.gpuMemoryGiB,
      kvPoolGiB,
    };
    return {
      ...judge([need], uncertaintyOf({ coverage: 0.5, terms: [] }, { traits: {}, names: { version: "Phantom" } })),
      kvPoolGiB,
      utilization: 1,
      kvTokens: request.contextTokens * request.concurrency,
      requiredTokens: request.contextTokens * request.concurrency,
      requestCapacity: kvPoolGiB / oneRequestGiB,
      basis: "made up",
      notes: [],
    };
  },
  preallocatesGpuMemory: false,
  warmUpSeconds: 7,
  sidecar: { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 },
  prefixReuse: () => "none",
  ports: { openai: 1234 },
  health: { alive: "/alive", ready: "/ready" },
  metrics: {
    port: 1235,
    path: "/series",
    series: { requestsWaiting: "phantom_waiting", kvCacheUsage: "phantom_cache" },
  },
};
