import type { Engine } from "../engine";
import { tritonLayoutProblems } from "./layouts";
import { batchSize, MAX_BATCHED_TOKENS } from "./limits";
import { estimateTriton } from "./memory";
import { tritonOptions } from "./options";
import { tritonVersionProblems } from "./releases";
import { tritonOwnSettings, tritonSettings } from "./settings";
import { tritonTraces } from "./traces";

/** Triton's default ports (server 2.71: command_line_parser.cc). */
export const TRITON_PORTS = { http: 8000, grpc: 8001, metrics: 8002 } as const;

/** Catalogue images by back ends, all of one release. */
const IMAGES = {
  standard: "triton",
  tensorrtllm: "triton-trtllm",
  vllm: "triton-vllm",
} as const;

/** Releases are months: `26.07` of the tag `26.07-trtllm-python-py3`. */
function releaseOf(tag: string): string {
  return /^\d\d\.\d\d/.exec(tag)?.[0] ?? tag;
}

/**
 * Triton: checkpoints through TensorRT-LLM, and user model repositories with any back end, over
 * KServe's API. Series as of Triton 2.71 (core: metric_model_reporter.cc); summaries are enabled on
 * the command line.
 */
export const triton: Engine = {
  label: "Triton",
  summary:
    "Triton serves text models through TensorRT-LLM, and model repositories of your own (Python, ONNX and others), on NVIDIA GPUs of one node, with KServe's API.",
  images: { nvidia: IMAGES.tensorrtllm },
  imagesFor: (model) => ({ nvidia: IMAGES[tritonOwnSettings(model).backends] }),
  versionOf: releaseOf,
  versionForm: {
    pattern: /^\d\d\.(0[1-9]|1[0-2])$/,
    allowed: 'a release in quotes, such as "26.07"',
    example: "26.07",
  },
  sources: ["huggingface", "bucket"],
  weightsFrom: "store",
  // No chat API: prompts are text. A user repository defines its own answers.
  tasks: ["completion", "embedding", "rerank"],
  missingModel:
    "model: with the catalogue name of what the repository serves, or of its nearest relative, by which volumes are sized (docs/triton.md#a-repository-of-your-own)",
  // TensorRT-LLM loads a checkpoint in its own format only.
  formats: { names: ["bf16"], takes: (format) => format.toLowerCase() === "bf16" },
  // The name is a repository folder and part of API paths.
  servedNames: {
    pattern: /^[A-Za-z0-9][\w.-]{0,127}$/,
    allowed: "the name of a folder: letters, digits, dots, underscores and dashes",
  },
  options: tritonOptions,
  settings: tritonSettings,
  variablePrefix: "TRITON_",
  memoryByVersion: false,
  versionProblems: tritonVersionProblems,
  parallelism: { tensor: true, overNodes: false },
  kernelsOf: "trtllm",
  batchLimits: (request) => ({ sequences: batchSize(request), promptTokens: MAX_BATCHED_TOKENS }),
  estimate: estimateTriton,
  traces: tritonTraces,
  layoutProblems: tritonLayoutProblems,
  preallocatesGpuMemory: true,
  noTimeSlicing:
    "TensorRT-LLM fills its share of what is free of the card's memory with its cache when it starts: pods that take turns on the card would each count on the same memory",
  // TensorRT-LLM tunes kernels and captures CUDA graphs: minutes by its documentation; not measured
  // here.
  warmUpSeconds: 240,
  sidecar: { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 },
  // TensorRT-LLM reuses cache blocks by default (llmapi/llm_args.py of 1.2.1,
  // KvCacheConfig.enable_block_reuse); user repositories decide for themselves.
  prefixReuse: ({ engineSettings }) =>
    tritonOwnSettings({ engineSettings }).backends === "tensorrtllm" ? "shared" : "none",
  ports: { "kserve-http": TRITON_PORTS.http, "kserve-grpc": TRITON_PORTS.grpc },
  health: { alive: "/v2/health/live", ready: "/v2/health/ready" },
  metrics: {
    port: TRITON_PORTS.metrics,
    path: "/metrics",
    series: {
      requestsWaiting: "nv_inference_pending_request_count",
      requestsTotal: "nv_inference_request_success",
      latencySummaryMicroseconds: "nv_inference_request_summary_us",
    },
    // Name used by external dashboards and alerts.
    p99LatencyName: "triton_inference_latency_ms",
  },
};
