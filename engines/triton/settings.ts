import { z } from "zod";
import type { ModelTask, ServedModel } from "../served-model";
import { engineSettings, type SettingFault, type SettingsOutcome } from "../settings";
import { llmapiProblems } from "./llmapi";
import type { Message } from "./model-config";
import { FIXED_GRPC_THREADS, tritonReleaseGaps } from "./releases";

const CACHE_DTYPES = ["auto", "fp8"] as const satisfies readonly ServedModel["kvCacheDtype"][];
const BACKENDS = ["standard", "tensorrtllm", "vllm"] as const;

/** Back ends of an image: Python, ONNX and others; with TensorRT-LLM; with vLLM. */
export type Backends = (typeof BACKENDS)[number];

/** Shared resources for which model instances wait, by name. */
const rateLimiter = z
  .strictObject({
    resources: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z]\w{0,63}$/)
          .meta({ allowed: "a name of letters, digits and underscores" }),
        z.int().min(1).max(1_000_000).meta({ description: "How many of it there are.", unit: "resources", example: 4 }),
      )
      .refine((resources) => Object.keys(resources).length >= 1 && Object.keys(resources).length <= 64)
      .meta({
        description:
          "Resources of the server, by the names that instance groups of the repository's config.pbtxt ask for.",
        allowed: "1 to 64 resources",
        example: { R1: 4 },
      }),
  })
  .meta({
    description: "Lets instances run only while the resources that they ask for are free (Triton's rate limiter).",
    example: { resources: { R1: 4 } },
  });

const repository = z
  .strictObject({
    memoryGiB: z.number().min(0.1).max(4096).meta({
      description:
        "GPU memory that the server takes on each GPU of the pod with its models loaded and at work, as nvidia-smi shows it: it cannot be computed for custom code.",
      unit: "GiB",
      example: 6,
    }),
    backends: z.enum(BACKENDS).default("standard").meta({
      description:
        "Image by its back ends: standard (Python, ONNX, PyTorch, TensorRT), tensorrtllm or vllm, which have Python too.",
      example: "standard",
    }),
    rateLimiter: rateLimiter.optional(),
  })
  .meta({
    description:
      "Says that source is a Triton model repository of your own in the model store, s3://bucket/prefix with a folder for each model; the one named servedName is loaded, with what it is an ensemble of. Without it, a repository is made for the checkpoint in source, which TensorRT-LLM serves.",
    example: { memoryGiB: 6 },
  });

/** `models.<name>.triton`. */
export const tritonBlock = z.strictObject({
  repository: repository.optional(),
  modelConfig: z
    .record(z.string().max(64), z.unknown())
    .optional()
    .meta({
      description:
        "Further fields of config.pbtxt, as the protobuf names them, in the repository that is made for a checkpoint. Checked against Triton's own definition.",
      allowed: "a mapping of fields of ModelConfig to their values",
      example: { metric_tags: { team: "search" } },
    }),
  tensorParallel: z.int().min(1).max(64).optional().meta({
    description: "GPUs of one node that share each layer. Default: planned; 1 with a repository of your own.",
    unit: "GPUs",
    example: 4,
  }),
  kvCacheDtype: z
    .enum(CACHE_DTYPES)
    .default("auto")
    .meta({ description: "Number format of TensorRT-LLM's KV cache. auto: the model's own.", example: "auto" }),
  gpuMemoryUtilization: z
    .number()
    .min(0.3)
    .max(0.97)
    .optional()
    .meta({ description: "Part of GPU memory that it may use. Default: 0.9.", unit: "fraction", example: 0.9 }),
  maxNumSeqs: z.int().min(1).max(65_536).optional().meta({
    description: "Requests that TensorRT-LLM batches. Default: 64, or concurrency where that is more.",
    unit: "requests",
    example: 128,
  }),
  httpThreads: z
    .int()
    .min(1)
    .max(256)
    .default(8)
    .meta({ description: "Threads that answer HTTP.", unit: "threads", example: 16 }),
  grpcThreads: z
    .int()
    .min(2)
    .max(128)
    .default(FIXED_GRPC_THREADS)
    .meta({ description: "Threads that answer gRPC.", unit: "threads", example: 4 }),
  grpcPool: z.int().min(1).max(65_536).optional().meta({
    description: "Requests over gRPC whose memory is kept for the next ones. Default: concurrency, at least 8.",
    unit: "requests",
    example: 64,
  }),
  pinnedPoolMiB: z
    .int()
    .min(0)
    .max(65_536)
    .default(256)
    .meta({ description: "Pinned memory of the host for copies to and from GPUs.", unit: "MiB", example: 512 }),
  loadThreads: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .meta({ description: "Threads that load models.", unit: "threads", example: 4 }),
});

export type TritonBlock = z.output<typeof tritonBlock>;

/** Block settings for Triton's component and image choice. */
export interface TritonOwnSettings
  extends Pick<TritonBlock, "httpThreads" | "grpcThreads" | "grpcPool" | "pinnedPoolMiB" | "loadThreads"> {
  readonly backends: Backends;
  /** Whether the source is a repository; otherwise one is created for the checkpoint. */
  readonly isRepository: boolean;
  readonly modelConfig: Message;
  readonly resources: Readonly<Record<string, number>>;
}

function ownSettings({ repository, modelConfig = {}, ...block }: TritonBlock): TritonOwnSettings {
  const { httpThreads, grpcThreads, grpcPool, pinnedPoolMiB, loadThreads } = block;
  return {
    httpThreads,
    grpcThreads,
    ...(grpcPool !== undefined && { grpcPool }),
    pinnedPoolMiB,
    loadThreads,
    backends: repository?.backends ?? "tensorrtllm",
    isRepository: repository !== undefined,
    modelConfig,
    resources: repository?.rateLimiter?.resources ?? {},
  };
}

const DEFAULTS = ownSettings(tritonBlock.parse({}));

export function tritonOwnSettings({ engineSettings = {} }: Pick<ServedModel, "engineSettings">): TritonOwnSettings {
  return { ...DEFAULTS, ...engineSettings };
}

export const tritonSettings = engineSettings(tritonBlock, {
  requested: (block) => {
    const { repository, tensorParallel = repository && 1, gpuMemoryUtilization, maxNumSeqs, kvCacheDtype } = block;
    return {
      kvCacheDtype,
      // Arenas of ONNX Runtime and PyTorch grow with requests; TensorRT-LLM and vLLM preallocate a
      // pool.
      ...(repository?.backends === "standard" && { growsGpuMemory: true }),
      ...(tensorParallel !== undefined && { tensorParallel }),
      ...(gpuMemoryUtilization !== undefined && { gpuMemoryUtilization }),
      ...(maxNumSeqs !== undefined && { maxNumSeqs }),
      ...(repository && { declaredMemoryGiB: repository.memoryGiB }),
      engineSettings: { ...ownSettings(block) },
    };
  },
  faults: tritonFaults,
  outcome: sourceOutcome,
});

function tritonFaults({ repository, modelConfig = {} }: TritonBlock, task: ModelTask): SettingFault[] {
  if (repository !== undefined) {
    return Object.keys(modelConfig).length === 0
      ? []
      : [
          {
            key: "modelConfig",
            allowed: "only without repository: a repository of your own has a config.pbtxt of its own",
            fix: "remove modelConfig, and write its fields into the repository",
          },
        ];
  }
  const text: SettingFault[] =
    task === "completion"
      ? []
      : [
          {
            key: "repository",
            allowed: `a repository of your own for ${task} models: TensorRT-LLM's form for checkpoints answers prompts with text`,
            fix: "add repository with its memoryGiB and the source of such a repository, or write another engine",
          },
        ];
  return [
    ...text,
    ...llmapiProblems(modelConfig).map(({ path, allowed }) => ({
      key: "modelConfig",
      allowed: `${path}: ${allowed}`,
      fix: `correct ${path}, or remove it`,
    })),
  ];
}

/** Repositories must be in the model store, the only way to deliver them. */
function sourceOutcome(block: TritonBlock, { source, task, engineVersion }: ServedModel): SettingsOutcome {
  const { repository } = block;
  const isMissing = repository !== undefined && source.kind !== "bucket";
  const gaps = tritonReleaseGaps(engineVersion, ownSettings(block)).map((gap) => ({
    rule: "engine-release",
    message: `Triton ${engineVersion}: ${gap}.`,
  }));
  return {
    args: {},
    notes:
      repository === undefined && task === "completion"
        ? ["clients send text_input to KServe's generate: Triton applies no chat template"]
        : [],
    problems: isMissing
      ? [
          ...gaps,
          {
            rule: "engine-settings",
            message:
              "triton.repository says that source is a Triton model repository, but source is none of the model store: write source: s3://<bucket of the store>/<prefix>, or remove repository",
          },
        ]
      : gaps,
  };
}
