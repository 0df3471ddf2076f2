import { z } from "zod";
import { compareVersions } from "../../names/versions";
import { kvCacheBytesPerToken } from "../../planner/memory/kv-cache";
import type { ModelTask, ServedModel } from "../served-model";
import { engineSettings, type SettingFault, type SettingsOutcome } from "../settings";
import { LORA_RANKS } from "./adapters";
import { classFix, classOutcome, releaseProblems } from "./asked-of-release";
import { parsersAskedFor } from "./asked-parsers";
import { TEMPLATES_FROM } from "./chat-parsers";
import { remoteCodeProblems } from "./remote-code";
import { stateTransferProblems } from "./state-transfer";

const LOADINGS = ["copy", "stream"] as const satisfies readonly ServedModel["loading"][];
const DISTRIBUTED_EXECUTORS = ["native", "ray"] as const;
const KV_CACHE_DTYPES = ["auto", "bfloat16", "fp8"] as const satisfies readonly ServedModel["kvCacheDtype"][];

/** `models.<name>.vllm`. */
export const vllmBlock = z.strictObject({
  tensorParallel: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: "GPUs of one node that share each layer. Default: planned.", unit: "GPUs", example: 4 }),
  pipelineParallel: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: "Groups of layers one after another. Default: planned.", unit: "stages", example: 2 }),
  kvCacheDtype: z
    .enum(KV_CACHE_DTYPES)
    .default("auto")
    .meta({ description: "Number format of the KV cache. auto: the model's own.", example: "auto" }),
  gpuMemoryUtilization: z.number().min(0.05).max(0.97).optional().meta({
    description:
      "Fraction of GPU memory that it may use; of its part, where vLLM takes turns on a card. Less than 0.5 is for such cards alone (`pools.<name>.sharing.timeSlicing`): of a whole one it leaves idle what no other pod gets. More than 0.97 leaves too little for what lies outside of it, the CUDA context above all (0.5 GiB of an H100), and vLLM may not start. Default: the engine's.",
    allowed:
      "a number from 0.05 to 0.97: more leaves too little for the CUDA context next to it, 0.5 GiB of an H100, and vLLM may not start; less than 0.5 is for cards in turns",
    example: 0.92,
  }),
  maxNumSeqs: z.int().min(1).max(65_536).optional().meta({
    description: "Requests that it batches. Default: the engine's.",
    unit: "requests",
    example: 256,
  }),
  maxLoras: z.int().min(1).max(64).optional().meta({
    description:
      "Adapters that the GPUs hold at once; each slot takes its memory in full. Default: as many as `adapters` names, at most 8.",
    unit: "adapters",
    example: 4,
  }),
  maxLoraRank: z.literal(LORA_RANKS).optional().meta({
    description: "Largest rank of an adapter. Default: the smallest that holds all declared ranks, 16 where none is.",
    unit: "rank",
    example: 32,
  }),
  loading: z.enum(LOADINGS).default("copy").meta({
    description: "How it gets the weights at start: copied to a local volume first, or streamed from the store.",
    example: "stream",
  }),
  toolCalling: z.boolean().default(false).meta({
    description: "Let clients of a chat model call tools: starts the parser of the model's family.",
    example: true,
  }),
  reasoning: z.boolean().default(false).meta({
    description: "Part the reasoning of a chat model from its answer: starts the parser of the model's family.",
    example: true,
  }),
  sleepMode: z.boolean().default(false).meta({
    description:
      "Let the model control API put it to sleep: the weights wait in the pod's memory, and the GPU's is free. It then has one replica, on one node. It opens vLLM's development API to all that reach the pod, which the gateway's clients do not.",
    example: true,
  }),
  prefillDecode: z
    .strictObject({
      prefill: z.int().min(1).max(256).meta({
        description: "Pods that read prompts. Their layout is the model's, as of those that write answers.",
        unit: "pods",
        allowed: "a whole number from 1 to 256 (pods, all with the layout of vllm.tensorParallel)",
        example: 1,
      }),
      decode: z.int().min(1).max(256).meta({
        description: "Pods that write answers.",
        unit: "pods",
        allowed: "a whole number from 1 to 256 (pods, all with the layout of vllm.tensorParallel)",
        example: 2,
      }),
    })
    .optional()
    .meta({
      description:
        "Parts prompts from answers: each pod has the whole model on GPUs of its own, prompts are read by some and their cache goes over the network to the others. In place of replicas. vLLM calls it experimental.",
      example: { prefill: 1, decode: 2 },
    }),
  distributedExecutor: z.enum(DISTRIBUTED_EXECUTORS).default("native").meta({
    description:
      "What starts vLLM's processes where a replica spans nodes: vLLM itself, or Ray. With ray the image is the newest that has it, of vLLM 0.17.1, and the plan counts with that version.",
    example: "native",
  }),
  chatTemplate: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^(?![a-z][a-z0-9+.-]*:\/\/)[^\p{Cc}]+\.jinja2?$/iu)
    .optional()
    .meta({
      description:
        "Jinja template that makes the prompt of a chat, in place of the model's own: a file, from the folder of this one.",
      allowed: "the path of a file that ends in .jinja",
      example: "templates/chat.jinja",
    }),
});

export type VllmBlock = z.output<typeof vllmBlock>;

export type ChatKeys = Pick<VllmBlock, "toolCalling" | "reasoning" | "chatTemplate">;

export interface VllmOwnSettings {
  readonly sleepMode?: boolean;
  readonly prefillDecode?: { readonly prefill: number; readonly decode: number };
  /** @default vLLM's own multi-node mode */
  readonly distributedExecutor?: "ray";
  /** Example chat template of vLLM in its image. @default the model's own */
  readonly toolTemplate?: string;
}

export function vllmOwnSettings({ engineSettings = {} }: Pick<ServedModel, "engineSettings">): VllmOwnSettings {
  return engineSettings;
}

export const vllmSettings = engineSettings(vllmBlock, {
  requested: ({ toolCalling: _, reasoning: __, sleepMode, prefillDecode, distributedExecutor, ...requested }) => {
    // The model control API sends sleep requests to the model's Service, where only one pod
    // receives them.
    const pods = prefillDecode ? prefillDecode.prefill + prefillDecode.decode : sleepMode ? 1 : undefined;
    const own: VllmOwnSettings = {
      ...(sleepMode && { sleepMode }),
      ...(prefillDecode && { prefillDecode }),
      ...(distributedExecutor === "ray" && { distributedExecutor }),
    };
    return {
      ...requested,
      ...(pods !== undefined && { minReplicas: pods, maxReplicas: pods }),
      ...(Object.keys(own).length > 0 && { engineSettings: { ...own } }),
    };
  },
  faults: (block, task) => [...chatFaults(block, task), ...splitFaults(block, task)],
  outcome: (block, model) => {
    const version = model.engineVersion;
    const hasTemplates = compareVersions(version, TEMPLATES_FROM) >= 0;
    const parsers = parsersAskedFor({ key: "vllm", version, hasTemplates }, block, model);
    const { notes, problems } = splitOutcome(block, model);
    const isReasoningWithTools = block.reasoning && block.toolCalling;
    const own = vllmOwnSettings(model);
    const ofClass = classOutcome(model, `vLLM ${version}`, (span) => classFix(span, own));
    return {
      ...parsers,
      ...ofClass,
      notes: [...parsers.notes, ...notes],
      problems: [
        ...parsers.problems,
        ...problems,
        ...releaseProblems({ model, own, isReasoningWithTools }),
        ...ofClass.problems,
        ...remoteCodeProblems(model),
        ...stateTransferProblems(model, own),
      ],
    };
  },
});

function splitFaults({ prefillDecode, sleepMode }: VllmBlock, task: ModelTask): SettingFault[] {
  if (prefillDecode === undefined) {
    return [];
  }
  const fix = "remove prefillDecode";
  return [
    ...(task === "chat" || task === "completion"
      ? []
      : [{ key: "prefillDecode", allowed: `only for models that write text, this one is for ${task}`, fix }]),
    ...(sleepMode
      ? [{ key: "sleepMode", allowed: "not with prefillDecode: one half would sleep without the other", fix }]
      : []),
  ];
}

function splitOutcome({ prefillDecode }: VllmBlock, model: ServedModel): Pick<SettingsOutcome, "notes" | "problems"> {
  if (prefillDecode === undefined) {
    return { notes: [], problems: [] };
  }
  const { prefill, decode } = prefillDecode;
  const gib = (kvCacheBytesPerToken(model.architecture) * model.contextTokens) / 2 ** 30;
  return {
    notes: [
      `${prefill} pods read prompts and ${decode} write answers, which vLLM calls experimental; the cache of a full prompt, ${gib.toFixed(2)} GiB, goes between them over the pods' TCP: ${((gib * 8 * 2 ** 30) / 25e9).toFixed(2)} s at 25 Gbit/s`,
    ],
    problems: [
      ...(model.args?.["kv-transfer-config"] === undefined
        ? []
        : ["args.kv-transfer-config: vllm.prefillDecode sets it for both kinds of pods. Remove one of the two"]),
      // _post_init_kv_transfer_config of config/vllm.py (0.14.0 to 0.33.0) replaces the connector
      // with its own.
      ...(model.args?.["kv-offloading-size"] === undefined
        ? []
        : ["args.kv-offloading-size replaces the connector that vllm.prefillDecode needs. Remove one of the two"]),
      ...(model.adapters === undefined
        ? []
        : [
            "adapters: whether the cache of an adapter's prompt goes over is not known. Remove them or vllm.prefillDecode",
          ]),
    ].map((message) => ({ rule: "prefill-decode", message })),
  };
}

/** Pipeline stages would span nodes, or send the cache in pieces, which is not configured. */
export function splitLayoutProblems({ prefillDecode }: VllmOwnSettings, pipelineParallel: number): string[] {
  return prefillDecode !== undefined && pipelineParallel > 1
    ? [`PP ${pipelineParallel}: with vllm.prefillDecode each pod has the whole model, use 1`]
    : [];
}

/** Sleep mode has no use for pod groups: the model control API does not control them. */
export function sleeperOnNode(model: ServedModel): { reason: string; remedy: string } | undefined {
  return vllmOwnSettings(model).sleepMode
    ? {
        reason:
          "with vllm.sleepMode a replica stays on one node, because the model control API drives none over several",
        remedy: `remove models.${model.name}.vllm.sleepMode: the model may then span nodes`,
      }
    : undefined;
}

/** Templates create chat prompts; parsers read the answers. */
export function chatFaults(block: ChatKeys, task: ModelTask): SettingFault[] {
  return (["toolCalling", "reasoning", "chatTemplate"] as const).flatMap((key) =>
    block[key] && task !== "chat"
      ? [{ key, allowed: `only with task chat, this one is ${task}`, fix: `remove ${key}` }]
      : [],
  );
}
