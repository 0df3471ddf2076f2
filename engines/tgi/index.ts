import { type Engine, semanticVersionOf } from "../engine";
import { estimateTgi } from "./memory";
import { tgiOptions } from "./options";
import { tgiCardVerdict, tgiLayoutProblems, tgiStartProblems, tgiVersionProblems, tgiWeights } from "./serves";

/** Above 1024: the image's own port 80 requires root. */
export const TGI_PORT = 8080;

/**
 * Text Generation Inference: one checkpoint per pod, with OpenAI's API. Archived on 2026-03-21.
 * Series as of 3.0.1 (router/src/server.rs, backends/v3).
 */
export const tgi: Engine = {
  label: "TGI",
  summary:
    "Text Generation Inference serves checkpoints of up to 2024 on GPUs of one node; it is no longer maintained.",
  legacy: "it is not maintained: its repository was archived on 2026-03-21, and vulnerabilities stay open",
  images: { nvidia: "tgi" },
  versionOf: semanticVersionOf,
  sources: ["huggingface", "bucket", "artifact", "claim", "folder"],
  weightsFrom: "store",
  tasks: ["chat", "completion"],
  formats: { names: [], takes: () => false, allowed: "nothing: TGI takes the checkpoint as it is" },
  options: tgiOptions,
  variablePrefix: "TGI_",
  memoryByVersion: false,
  parallelism: { tensor: true, overNodes: false },
  estimate: estimateTgi,
  layoutProblems: tgiLayoutProblems,
  versionProblems: tgiVersionProblems,
  startProblems: tgiStartProblems,
  weights: tgiWeights,
  cardVerdict: tgiCardVerdict,
  preallocatesGpuMemory: true,
  noTimeSlicing:
    "TGI fills what is free of the card's memory with its cache when it warms up: the first pod of a card in turns leaves nothing to the next",
  // Warm-up: one prefill of the whole context, and CUDA graphs of six batch sizes.
  warmUpSeconds: 90,
  sidecar: { cpu: 0, memoryGiB: 0, ephemeralStorageGiB: 0 },
  prefixReuse: () => "shared",
  ports: { openai: TGI_PORT },
  // The router listens after warm-up; `/health` then generates a token on idle shards.
  health: { alive: "/health", ready: "/health" },
  metrics: {
    port: TGI_PORT,
    path: "/metrics",
    series: {
      requestsWaiting: "tgi_queue_size",
      requestsRunning: "tgi_batch_current_size",
      latencySeconds: "tgi_request_duration",
      // Token histograms: their sums are used.
      promptTokensTotal: "tgi_request_input_length_sum",
      generatedTokensTotal: "tgi_request_generated_tokens_sum",
      requestsTotal: "tgi_request_success",
    },
  },
};
