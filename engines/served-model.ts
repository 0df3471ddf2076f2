/** Plain data; names contain units. */
import type { ModelArchitecture } from "../planner/model/architecture";

/** Purpose of a model; `completion` is a base model without a chat template. */
export type ModelTask = "chat" | "completion" | "embedding" | "rerank";

/** Returns vectors or scores at once instead of text. */
export function isPooling({ task }: { readonly task: ModelTask }): boolean {
  return task === "embedding" || task === "rerank";
}

/** Sources that engines read from the model store: a copied repository, or a prefix of its bucket. */
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
  /** A folder of the node that a pod runs on; an absolute path. */
  | { readonly kind: "folder"; readonly path: string }
  /** An artifact or image of a registry, which a Job copies into the store. */
  | ArtifactSource
  | { readonly kind: "ollama"; readonly tag: string };

export interface ArtifactSource {
  readonly kind: "artifact";
  /** `registry.example.com:5000`; the port only where it is not 443. */
  readonly registry: string;
  /** Path in it. */
  readonly repository: string;
  /** Tag, unless only a digest is named. */
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest?: string;
  /** Pods mount it as an image volume; nothing copies it. */
  readonly mounted?: true;
}

/** LoRA weights that clients call as a model of this name. */
export interface Adapter {
  /** Value of clients' `model` field; names its folder in pods and store. */
  readonly name: string;
  readonly source: StoredSource;
  /** Largest `r` in it, if the configuration has it. */
  readonly rank?: number;
}

/** Weights at start: copied to a local volume, taken from the node's cache, streamed from the store, or mounted. */
export type ModelLoading = "copy" | "cache" | "stream" | "mount";

/**
 * Value of an engine flag: booleans switch it; lists and mappings are for multiple values or JSON.
 */
export type ArgumentValue = boolean | number | string | readonly unknown[] | { readonly [key: string]: unknown };

/** A Jinja template for chat prompts that replaces the model's own. */
export interface ChatTemplate {
  readonly file: string;
  readonly text: string;
}

/** Weight settings that the engine does not read from the checkpoint. */
export interface LoadAs {
  /** Quantization at load (`--quantization`). */
  readonly quantization?: string;
  /** Differs from the checkpoint's (`--dtype`). */
  readonly dtype?: "bfloat16" | "float16" | "float32";
  /** Required for the checkpoint's format in the release. */
  readonly flag?: string;
}

/** An engine image that the user built. Facts that are not stated are unknown. */
export interface OwnImage {
  /** `registry/repository:tag@digest`. */
  readonly reference: string;
  /** Docker platforms, "linux/arm64". */
  readonly platforms?: readonly string[] | undefined;
  /** Major version of CUDA in it. */
  readonly cuda?: number | undefined;
  /** Release of ROCm in it, "7.2". */
  readonly rocm?: string | undefined;
}

/** Engine-specific settings; the engine knows their types. Plain data. */
export type EngineOwnSettings = Readonly<Record<string, unknown>>;

/** Input of all engine answers. */
export interface ServedModel {
  readonly name: string;
  /** Value of a request's `model` field. */
  readonly servedName: string;
  /** What they may put there besides. @default nothing else */
  readonly aliases?: readonly string[];
  readonly engineVersion: string;
  /** What it runs in, in place of the catalogue's image; `engineVersion` is the release that it behaves as. */
  readonly image?: OwnImage;
  readonly task: ModelTask;
  readonly architecture: ModelArchitecture;
  readonly source: ModelSource;
  /**
   * The architecture is the catalogue's, but weights come from elsewhere and may have another
   * format.
   */
  readonly configIsOfAnotherSource?: boolean;
  readonly loading: ModelLoading;
  /** Prompt and answer tokens of one request. */
  readonly contextTokens: number;
  /** Concurrent requests of one replica at full context. */
  readonly concurrency: number;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
  readonly quantization?: string;
  readonly kvCacheDtype: "auto" | "bfloat16" | "fp8";
  readonly gpuMemoryUtilization?: number;
  readonly maxNumSeqs?: number;
  /** GPU memory per GPU declared by the user for custom code, GiB. */
  readonly declaredMemoryGiB?: number;
  /** Validated engine flags by name without dashes. */
  readonly args?: Readonly<Record<string, ArgumentValue>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly chatTemplate?: ChatTemplate;
  /** @default none */
  readonly adapters?: readonly Adapter[];
  /** Adapters on the GPUs at once. @default the engine's choice */
  readonly maxLoras?: number;
  /** Largest adapter rank. @default the engine's choice */
  readonly maxLoraRank?: number;
  readonly engineSettings?: EngineOwnSettings;
}
