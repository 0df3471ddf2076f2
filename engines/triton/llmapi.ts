/**
 * The `llmapi` form of a checkpoint (TensorRT-LLM 1.2.1: triton_backend/all_models/llmapi): a
 * Python model in the image, config.pbtxt for Triton and model.yaml for TensorRT-LLM.
 */
import { type ConfigProblem, configProblems, type Message } from "./model-config";

/**
 * Image folder with the model's code (tensorrtllm_backend:
 * dockerfile/Dockerfile.triton.trt_llm_backend).
 */
export const LLMAPI_CODE = {
  folder: "/app/all_models/llmapi/tensorrt_llm/1",
  files: ["model.py", "helpers.py"],
} as const;

const scalar = (name: string, data_type: string): Message => ({ name, data_type, dims: [1], optional: true });
const sampling = (name: string, data_type: string): Message => scalar(`sampling_param_${name}`, data_type);

/** One copy per pod: TensorRT-LLM creates the processes on GPUs, not Triton's instances. */
const INSTANCES: readonly Message[] = [{ kind: "KIND_CPU", count: 1 }];

const INPUTS: readonly Message[] = [
  { name: "text_input", data_type: "TYPE_STRING", dims: [-1] },
  scalar("streaming", "TYPE_BOOL"),
  sampling("best_of", "TYPE_INT32"),
  sampling("temperature", "TYPE_FP32"),
  sampling("top_k", "TYPE_INT32"),
  sampling("top_p", "TYPE_FP32"),
  sampling("frequency_penalty", "TYPE_FP32"),
  sampling("presence_penalty", "TYPE_FP32"),
  sampling("max_tokens", "TYPE_INT32"),
  { name: "sampling_param_stop", data_type: "TYPE_STRING", dims: [-1], optional: true },
  sampling("seed", "TYPE_UINT64"),
  sampling("exclude_input_from_output", "TYPE_BOOL"),
  scalar("return_finish_reason", "TYPE_BOOL"),
  scalar("return_stop_reason", "TYPE_BOOL"),
  scalar("return_cumulative_logprob", "TYPE_BOOL"),
  scalar("stop", "TYPE_BOOL"),
];

const OUTPUTS: readonly Message[] = [
  { name: "text_output", data_type: "TYPE_STRING", dims: [-1] },
  { name: "finish_reason", data_type: "TYPE_STRING", dims: [-1] },
  { name: "stop_reason", data_type: "TYPE_STRING", dims: [-1] },
  { name: "cumulative_logprob", data_type: "TYPE_FP32", dims: [-1] },
];

/** @param further the user's fields: see llmapiProblems. */
export function llmapiConfig(servedName: string, further: Message = {}): Message {
  return { name: servedName, backend: "python", input: INPUTS, output: OUTPUTS, instance_group: INSTANCES, ...further };
}

/** Fields set by the form, with reasons. */
const DECIDED: Readonly<Record<string, string>> = {
  name: "not to be set: it is servedName",
  platform: "not to be set: the form's back end is Python",
  backend: "not to be set: the form's back end is Python",
  input: "not to be set: the form's code reads these",
  output: "not to be set: the form's code writes these",
  max_batch_size: "not to be set: model.yaml says it, and a value here would stop the model from loading",
  model_transaction_policy: "not to be set: model.yaml says it, and a value here would stop the model from loading",
  ensemble_scheduling: "not to be set: there is but one model",
  version_policy: "not to be set: there is but one version",
  default_model_filename: "not to be set: the form's code has its own name",
  cc_model_filenames: "not to be set: the form's code has its own name",
};

/** Why user fields conflict with the form's config.pbtxt; empty if none do. */
export function llmapiProblems(further: Message): ConfigProblem[] {
  const decided = Object.keys(further).flatMap((path) => {
    const allowed = Object.hasOwn(DECIDED, path) ? DECIDED[path] : undefined;
    return allowed === undefined ? [] : [{ path, allowed }];
  });
  const unread = configProblems(further).filter(({ path }) => !decided.some((known) => known.path === path));
  return [...decided, ...unread, ...(unread.length === 0 ? [...copyProblems(further), ...tagProblems(further)] : [])];
}

/** Tags become Prometheus labels: Triton aborts on other names. */
function tagProblems({ metric_tags: tags = {} }: Message): ConfigProblem[] {
  return Object.keys(tags as Message)
    .filter((name) => !/^(?!__)[A-Za-z_]\w*$/.test(name))
    .map((name) => ({
      path: `metric_tags.${name}`,
      allowed: "a label of Prometheus: letters, digits and underscores",
    }));
}

/**
 * Each instance is a full copy on its own GPUs, regardless of tensor parallelism: the plan has one.
 */
function copyProblems({ instance_group: groups }: Message): ConfigProblem[] {
  if (groups === undefined) {
    return [];
  }
  const counts = (groups as readonly Message[]).map(({ count = 1 }) => Number(count));
  const copies = counts.reduce((total, count) => total + count, 0);
  return copies === 1
    ? []
    : [
        {
          path: "instance_group",
          allowed: `one instance: ${copies} are ${copies} copies of the model, each on as many GPUs as its tensor parallelism, and the plan gives a pod the GPUs of one; copies are replicas (replicas.min)`,
        },
      ];
}

export interface LlmapiArguments {
  readonly model: string;
  readonly tensorParallel: number;
  /** Prompt and answer tokens of one request. */
  readonly maxSequenceTokens: number;
  readonly maxBatchSize: number;
  readonly maxBatchedTokens: number;
  readonly cacheFraction: number;
  readonly cacheDtype: "auto" | "fp8";
}

/**
 * model.yaml as JSON, which is YAML. Streamed answers use Triton's "decoupled" policy; TensorRT-LLM
 * batches.
 */
export function llmapiYaml(told: LlmapiArguments): string {
  const content = {
    model: told.model,
    backend: "pytorch",
    tensor_parallel_size: told.tensorParallel,
    pipeline_parallel_size: 1,
    max_seq_len: told.maxSequenceTokens,
    max_batch_size: told.maxBatchSize,
    max_num_tokens: told.maxBatchedTokens,
    kv_cache_config: { free_gpu_memory_fraction: told.cacheFraction, dtype: told.cacheDtype },
    triton_config: { max_batch_size: 0, decoupled: true },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
