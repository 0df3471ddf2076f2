/** Tests check every flag against the parser of each release. */
import { VLLM_PORT } from "../../engines/vllm";
import { vllmArgument } from "../../engines/vllm/options";
import { PREFIX_HASH, prefixHash } from "../../engines/vllm/prefix-hash";
import { argumentsFor, vllmHas } from "../../engines/vllm/releases";
import { vllmOwnSettings } from "../../engines/vllm/settings";
import type { ArgumentValue, ModelPlan, ModelTask } from "../../planner/types";
import { CHAT_TEMPLATE_FILE } from "./chat-template";
import { unescapedWords, words } from "./command-line";
import { adapterArguments } from "./lora-adapters";
import { IMAGE_PULL_SECONDS } from "./pod-settings";
import { requestMiddleware } from "./vllm-middleware";

/** Port on the first node where the nodes of a replica meet. */
export const RENDEZVOUS_PORT = 29501;

/** What the engine makes of the model: text, or one vector or score for each input. */
const RUNNERS: Readonly<Record<ModelTask, string>> = {
  chat: "generate",
  completion: "generate",
  embedding: "pooling",
  rerank: "pooling",
};

/** Threads with which the RunAI streamer reads; what its documentation suggests for object stores. */
const STREAM_CONCURRENCY = 16;
/** Streaming buffer; the streamer's default is 40 GB. */
const STREAM_MEMORY_SHARE = 0.25;

type Arguments = Readonly<Record<string, ArgumentValue | undefined>>;

/** Planned settings under the newest release's names. Undefined: vLLM's default. */
export function engineArguments(model: ModelPlan): Arguments {
  return {
    "tensor-parallel-size": model.tensorParallel,
    "pipeline-parallel-size": model.pipelineParallel,
    "max-model-len": model.contextTokens,
    "max-num-seqs": model.maxNumSeqs,
    ...memory(model),
    "kv-cache-dtype": model.kvCacheDtype === "auto" ? undefined : model.kvCacheDtype,
    quantization: model.loadAs?.quantization,
    dtype: model.loadAs?.dtype,
    runner: RUNNERS[model.task],
    "chat-template": model.chatTemplate ? CHAT_TEMPLATE_FILE : toolTemplate(model),
    ...(model.loading === "stream" && streaming(model)),
    ...(model.loadAs?.flag !== undefined && { [model.loadAs.flag.replace(/^--/, "")]: true }),
  };
}

/** Folders of vLLM's examples in its images (COPY examples in docker/Dockerfile, Dockerfile.cpu, Dockerfile.rocm of 0.33.0). */
const EXAMPLES = { nvidia: "/vllm-workspace/examples", amd: "/app/vllm/examples", cpu: "/vllm-workspace/examples" };

function toolTemplate(model: ModelPlan): string | undefined {
  const { toolTemplate: file } = vllmOwnSettings(model);
  return file && `${EXAMPLES[model.gpuVendor ?? "cpu"]}/${file}`;
}

/**
 * Arguments after `vllm serve`.
 * @param location folder of the weights, or their `s3://` URI when they are streamed.
 */
export function vllmArguments(model: ModelPlan, location: string): string[] {
  const isSleeper = vllmOwnSettings(model).sleepMode;
  return [
    location,
    ...writtenFor(model, {
      // The first one names the model in answers and metrics.
      "served-model-name": model.aliases ? [model.servedName, ...model.aliases] : model.servedName,
      host: "0.0.0.0",
      port: VLLM_PORT,
      ...engineArguments(model),
      // A collision is answered from another consumer's cache, whatever its salt.
      [PREFIX_HASH]: model.prefixCaches && prefixHash(model),
      // After SIGTERM; the default is 0.
      "shutdown-timeout": drainsItself(model) ? model.drainSeconds : undefined,
      // Probes and scrapes would drown the requests in the log.
      "disable-access-log-for-endpoints": "/health,/metrics,/v1/models",
      // A request to a sleeping replica waits, and is visible in its load alone: that wakes it.
      ...(isSleeper && { "enable-sleep-mode": true, "enable-server-load-tracking": true }),
      ...adapterArguments(model),
    }),
    ...requestMiddleware(model).flatMap((middleware) => writtenFor(model, { middleware })),
    ...Object.entries(model.args ?? {}).flatMap(([name, value]) => words(name, value, vllmArgument(name))),
  ];
}

/** Words of the command line for what the platform writes itself, as the model's release takes it. */
export function writtenFor({ engineVersion }: Pick<ModelPlan, "engineVersion">, values: Arguments): string[] {
  return Object.entries(argumentsFor(engineVersion, values)).flatMap(([name, value]) => unescapedWords(name, value));
}

/**
 * A share of GPUs. On CPUs the cache has its planned size, and the share is ignored
 * (v1/worker/cpu_worker.py of 0.32.0 and 0.33.0; `VLLM_CPU_KVCACHE_SPACE` is its older name). With
 * time slices both are set: others distort free memory, and the share must be free at start
 * (determine_available_memory in v1/worker/gpu_worker.py of 0.10.2 to 0.33.0).
 */
function memory({ gpuVendor, gpuSlice, gpuMemoryUtilization, memoryPerGpu }: ModelPlan): Record<string, number> {
  const isCacheTold = gpuVendor === undefined || gpuSlice?.kind === "time-slices";
  return {
    ...(gpuVendor !== undefined && { "gpu-memory-utilization": gpuMemoryUtilization }),
    ...(isCacheTold && { "kv-cache-memory-bytes": Math.ceil(memoryPerGpu.kvCacheGiB * 2 ** 30) }),
  };
}

/** vLLM finishes requests on SIGTERM. Those of a broken group never end. */
export function drainsItself({
  engineVersion,
  nodesPerReplica,
}: Pick<ModelPlan, "engineVersion" | "nodesPerReplica">): boolean {
  return nodesPerReplica === 1 && vllmHas("shutdown-timeout", engineVersion);
}

/** Arguments of the leader of a replica whose processes Ray starts; its workers have none. */
export function rayGroupArguments(model: ModelPlan, location: string): string[] {
  return [...vllmArguments(model, location), ...writtenFor(model, { "distributed-executor-backend": "ray" })];
}

/** PyTorch's own, for nodes to meet and for every collective. */
const TORCH_TIMEOUT_SECONDS = 600;

/** Position of a pod in a replica of several nodes. */
export type GroupRole = "leader" | "worker";

/** vLLM's multi-node mode without Ray; LeaderWorkerSet sets the variables. */
export function groupArguments(model: ModelPlan, location: string, role: GroupRole): string[] {
  return [
    ...vllmArguments(model, location),
    ...writtenFor(model, {
      "distributed-executor-backend": "mp",
      nnodes: "$(LWS_GROUP_SIZE)",
      "node-rank": "$(LWS_WORKER_INDEX)",
      "master-addr": "$(LWS_LEADER_ADDRESS)",
      "master-port": RENDEZVOUS_PORT,
      // The first node gives up after ten minutes by default, while others still copy weights.
      "distributed-timeout-seconds": Math.max(TORCH_TIMEOUT_SECONDS, IMAGE_PULL_SECONDS + model.startupBudgetSeconds),
      ...(role === "worker" && { headless: true }),
    }),
  ];
}

function streaming(model: ModelPlan): Readonly<Record<string, ArgumentValue>> {
  const { memoryGiB, optionMemoryGiB = 0, gpus } = model.resources;
  // One streamer per GPU process of the pod.
  const bytes = Math.floor(((memoryGiB - optionMemoryGiB) * 2 ** 30 * STREAM_MEMORY_SHARE) / Math.max(1, gpus));
  return {
    "load-format": "runai_streamer",
    "model-loader-extra-config": { concurrency: STREAM_CONCURRENCY, memory_limit: bytes },
  };
}
