/** What an engine is told of the model that it is to serve. Plain data; units are in the names. */
import type { ModelArchitecture } from "../planner/model/architecture";

/** What a model is for; `completion` is a base model without a chat template. */
export type ModelTask = "chat" | "completion" | "embedding" | "rerank";

/** Answers vectors or scores, all at once, where others write text. */
export function isPooling({ task }: { readonly task: ModelTask }): boolean {
  return task === "embedding" || task === "rerank";
}

/** What engines read in the environment's model store: a repository that a Job copies there, or a prefix of its bucket. */
export type StoredSource =
  | { readonly kind: "huggingface"; readonly repository: string; readonly revision: string }
  | { readonly kind: "bucket"; readonly uri: string };

/** Where the bytes of a model come from. */
export type ModelSource =
  | Exclude<StoredSource, { readonly kind: "bucket" }>
  /** A prefix of the model store; `copied`: of a bucket elsewhere, which a Job copies into the store. */
  | { readonly kind: "bucket"; readonly uri: string; readonly copied?: true }
  /** A folder of a volume claim in the model's namespace; the whole volume where the path is empty. */
  | { readonly kind: "claim"; readonly claim: string; readonly path: string }
  | { readonly kind: "ollama"; readonly tag: string };

/** LoRA weights beside a model's own, which clients call as a model of this name. */
export interface Adapter {
  /** What clients put in the `model` field; names its folder in pods and in the store. */
  readonly name: string;
  readonly source: StoredSource;
  /** Largest `r` in it, where the configuration says so. */
  readonly rank?: number;
}

/** How an engine gets the weights at start: copied to a local volume first, streamed from the store, or read on a mounted volume. */
export type ModelLoading = "copy" | "stream" | "mount";

/** Value of an engine's flag: true and false switch it, lists and mappings are for flags that take several or JSON. */
export type ArgumentValue = boolean | number | string | readonly unknown[] | { readonly [key: string]: unknown };

/** A Jinja template that makes a prompt of a chat, in place of the model's own. */
export interface ChatTemplate {
  /** As the configuration names it. */
  readonly file: string;
  readonly text: string;
}

/** What an engine is told of a model's weights that it does not read in the checkpoint. */
export interface LoadAs {
  /** Made when the weights are loaded (`--quantization`). */
  readonly quantization?: string;
  /** Other than the checkpoint's (`--dtype`). */
  readonly dtype?: "bfloat16" | "float16" | "float32";
  /** Without it the release refuses the checkpoint's format. */
  readonly flag?: string;
}

/** An engine's image that the user built. What they do not say of it, nobody knows. */
export interface OwnImage {
  /** `registry/repository:tag@digest`. */
  readonly reference: string;
  /** Docker platforms, "linux/arm64". */
  readonly platforms?: readonly string[] | undefined;
  /** Major version of CUDA that it brings. */
  readonly cuda?: number | undefined;
  /** Release of ROCm that it brings, "7.2". */
  readonly rocm?: string | undefined;
}

/** Settings that mean something to one engine alone; it knows their types. Plain data. */
export type EngineOwnSettings = Readonly<Record<string, unknown>>;

/** A model, the load that it must bear, and what the environment pins by hand: all that an engine's answers follow from. */
export interface ServedModel {
  readonly name: string;
  /** What clients put in the `model` field of a request. */
  readonly servedName: string;
  /** What they may put there besides. @default nothing else */
  readonly aliases?: readonly string[];
  readonly engineVersion: string;
  /** What it runs in, in place of the catalogue's image; `engineVersion` is the release that it behaves as. */
  readonly image?: OwnImage;
  readonly task: ModelTask;
  readonly architecture: ModelArchitecture;
  readonly source: ModelSource;
  /** The architecture is the catalogue's, and the weights come from elsewhere: they may have another format. */
  readonly configIsOfAnotherSource?: boolean;
  readonly loading: ModelLoading;
  /** Tokens of prompt and answer that one request may hold. */
  readonly contextTokens: number;
  /** Requests that one replica serves at once at full context. */
  readonly concurrency: number;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
  readonly quantization?: string;
  readonly kvCacheDtype: "auto" | "bfloat16" | "fp8";
  readonly gpuMemoryUtilization?: number;
  readonly maxNumSeqs?: number;
  /** GPU memory of each GPU that the user says it takes, GiB, where code of their own decides it. */
  readonly declaredMemoryGiB?: number;
  /** Flags of the engine, by name without dashes; already checked. */
  readonly args?: Readonly<Record<string, ArgumentValue>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly chatTemplate?: ChatTemplate;
  /** @default none */
  readonly adapters?: readonly Adapter[];
  /** Adapters that the GPUs hold at once. @default the engine's choice */
  readonly maxLoras?: number;
  /** Largest rank of an adapter. @default the engine's choice */
  readonly maxLoraRank?: number;
  readonly engineSettings?: EngineOwnSettings;
}
