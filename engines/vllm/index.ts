import { type Engine, semanticVersionOf } from "../engine";
import { adapterProblems, vllmAdapters } from "./adapters";
import { nodesGap, stagesGap } from "./asked-of-release";
import { releaseWithCode, vllmCardVerdict } from "./card-verdict";
import chatFormats from "./chat-formats.json";
import { vllmCpuVerdict } from "./cpu-verdict";
import { parallelismProblems } from "./divisibility";
import { memoryFlags, OVERRIDING_FLAGS, readVllmFlags } from "./flags";
import { vllmFormats } from "./formats";
import { VLLM_BOUNDS } from "./histogram-bounds";
import { vllmHostMemory } from "./host-memory";
import { estimateVllm, windowMargin } from "./memory/estimate";
import { vllmRequest } from "./memory/request";
import { vllmBatchLimits } from "./memory/scheduler-defaults";
import { asServed } from "./memory/served-model";
import { classFinding } from "./model-class";
import { vllmOptions } from "./options";
import { vllmImageReuse, vllmPrefixReuse } from "./prefix-reuse";
import { seriesSince } from "./releases";
import { sleeperOnNode, splitLayoutProblems, vllmOwnSettings, vllmSettings } from "./settings";
import { batchProblems, vllmContextLimit, vllmLackOfMemory, vllmVersionProblems } from "./start-rules";
import { vllmTraces } from "./traces";
import { turnsProblems } from "./turns";
import { eightBits, vllmWeights } from "./weight-format";

export const VLLM_PORT = 8000;

const IMAGES = { nvidia: "vllm-cuda", amd: "vllm-rocm", cpu: "vllm-cpu" } as const;

/**
 * vLLM: one checkpoint per process, on GPUs or CPUs, with OpenAI's API. Series as of vLLM 0.33.0
 * (docs/design/metrics).
 */
export const vllm: Engine = {
  label: "vLLM",
  summary: "vLLM serves checkpoints on GPUs of one or several nodes, to many clients at once, and on CPUs.",
  images: IMAGES,
  fabricImages: { efa: { image: "vllm-cuda-efa", since: "0.33.0" } },
  imagesFor: (model) => (vllmOwnSettings(model).distributedExecutor === "ray" ? { nvidia: "vllm-cuda-ray" } : IMAGES),
  versionOf: semanticVersionOf,
  sources: ["huggingface", "bucket", "artifact", "claim", "folder"],
  weightsFrom: "store",
  tasks: ["chat", "completion", "embedding", "rerank"],
  takesAliases: true,
  formats: vllmFormats,
  options: vllmOptions,
  adapters: vllmAdapters,
  settings: vllmSettings,
  variablePrefix: "VLLM_",
  memoryFlags,
  overridingFlags: OVERRIDING_FLAGS,
  memoryByVersion: true,
  readFlags: readVllmFlags,
  parallelism: { tensor: true, overNodes: true },
  batchLimits: (request) => vllmBatchLimits(vllmRequest(request)),
  estimate: (request) => estimateVllm(vllmRequest(request)),
  traces: vllmTraces,
  layoutProblems: ({ architecture, tensorParallel, pipelineParallel, quantization, args, ...model }) => [
    ...parallelismProblems(architecture, tensorParallel, pipelineParallel, quantization, readVllmFlags(args).options),
    ...splitLayoutProblems(vllmOwnSettings(model), pipelineParallel),
    ...stagesGap(model.engineVersion, pipelineParallel),
  ],
  staysOnNode: (model) => sleeperOnNode(model) ?? nodesGap(model, vllmOwnSettings(model)),
  layoutFlags: [{ flag: "enable-expert-parallel", text: "whole experts on each GPU, not a part of every one" }],
  startFlags: [{ flag: "enforce-eager", text: "no CUDA graphs: slower answers" }],
  contextLimit: vllmContextLimit,
  versionProblems: vllmVersionProblems,
  modelClass: classFinding,
  startProblems: (request) => [
    ...batchProblems(vllmRequest(request)),
    ...adapterProblems(request),
    ...turnsProblems(request),
  ],
  lackOfMemory: vllmLackOfMemory,
  served: (request) => asServed(vllmRequest(request)),
  windowMargin: (request) => windowMargin(vllmRequest(request)),
  weights: vllmWeights,
  savings: eightBits,
  cardVerdict: vllmCardVerdict,
  cardsByVersion: true,
  releaseWithCode,
  // All weights at sleep level 1, used by the model control API (https://docs.vllm.ai, features:
  // sleep mode).
  weightsInHostGiB: (model, weightsGiB) => (vllmOwnSettings(model).sleepMode ? weightsGiB : 0),
  hostMemory: vllmHostMemory,
  // Processes exchange messages in rings of 160 MiB
  // (distributed/device_communicators/shm_broadcast.py of 0.33.0).
  onCpu: { sharedMemoryGiB: 1, verdict: vllmCpuVerdict },
  preallocatesGpuMemory: true,
  // Compilation and CUDA graph capture: 1 to 2 minutes cold.
  warmUpSeconds: 150,
  sidecar: { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 },
  chatFormats: [...chatFormats.types, ...chatFormats.classes],
  prefixReuse: vllmPrefixReuse,
  reusesImages: vllmImageReuse,
  answering: (model) => vllmOwnSettings(model).prefillDecode?.decode,
  ports: { openai: VLLM_PORT },
  // `/v1/models` answers after loading, `/health` may answer earlier; `/health` returns 503 once
  // the engine is dead.
  health: { alive: "/health", ready: "/v1/models" },
  metrics: {
    port: VLLM_PORT,
    path: "/metrics",
    since: seriesSince,
    bounds: VLLM_BOUNDS,
    series: {
      requestsWaiting: "vllm:num_requests_waiting",
      requestsRunning: "vllm:num_requests_running",
      kvCacheUsage: "vllm:kv_cache_usage_perc",
      timeToFirstTokenSeconds: "vllm:time_to_first_token_seconds",
      interTokenSeconds: "vllm:inter_token_latency_seconds",
      meanTokenSeconds: "vllm:request_time_per_output_token_seconds",
      latencySeconds: "vllm:e2e_request_latency_seconds",
      promptTokensTotal: "vllm:prompt_tokens_total",
      generatedTokensTotal: "vllm:generation_tokens_total",
      requestsTotal: "vllm:request_success_total",
      preemptionsTotal: "vllm:num_preemptions_total",
    },
  },
};
