import { z } from "zod";
import type { ModelTask, ServedModel } from "../served-model";
import { engineSettings, type SettingFault } from "../settings";
import { LORA_RANKS } from "./adapters";
import { parsersAskedFor } from "./asked-parsers";
import { vllmArgument } from "./options";

const LOADINGS = ["copy", "stream"] as const satisfies readonly ServedModel["loading"][];
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
  gpuMemoryUtilization: z
    .number()
    .min(0.5)
    .max(0.97)
    .optional()
    .meta({ description: "Fraction of GPU memory that it may use. Default: the engine's.", example: 0.92 }),
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
      "Let the model control API put it to sleep: the weights wait in the pod's memory, and the GPU's is free. It opens vLLM's development API to whoever reaches the pod, which the gateway's clients do not.",
    example: true,
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

/** Keys of a block that make it a server of chats. */
export type ChatKeys = Pick<VllmBlock, "toolCalling" | "reasoning" | "chatTemplate">;

/** Of a block, what only vLLM's component reads. */
export interface VllmOwnSettings {
  readonly sleepMode?: boolean;
}

export function vllmOwnSettings({ engineSettings = {} }: Pick<ServedModel, "engineSettings">): VllmOwnSettings {
  return engineSettings;
}

export const vllmSettings = engineSettings(vllmBlock, {
  requested: ({ toolCalling: _, reasoning: __, sleepMode, ...requested }) => ({
    ...requested,
    ...(sleepMode && { engineSettings: { sleepMode } satisfies VllmOwnSettings }),
  }),
  faults: chatFaults,
  outcome: (block, model) => parsersAskedFor({ key: "vllm", argument: vllmArgument }, block, model),
});

/** Templates make prompts of chats; parsers read what the model then says. */
export function chatFaults(block: ChatKeys, task: ModelTask): SettingFault[] {
  return (["toolCalling", "reasoning", "chatTemplate"] as const).flatMap((key) =>
    block[key] && task !== "chat"
      ? [{ key, allowed: `only with task chat, this one is ${task}`, fix: `remove ${key}` }]
      : [],
  );
}
