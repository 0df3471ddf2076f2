import type { EngineOptionCatalogue } from "../catalog/engine-options";
import type { FabricKind } from "../catalog/fabrics";
import type { CpuArchitecture } from "../catalog/shapes";
import type { TraceReceiver } from "../names/trace-receiver";
import type { MemoryEstimate } from "../planner/memory/types";
import type { ModelArchitecture } from "../planner/model/architecture";
import type { StatedFormat } from "../planner/model/weights-name";
import type { AdapterSupport } from "./adapters";
import type { Card, CardVerdict } from "./card";
import type { HostMemoryUse, PodOfReplica } from "./host-memory";
import type { LayoutRequest, MemoryRequest } from "./memory-request";
import type { ArgumentValue, ModelSource, ModelTask, ServedModel } from "./served-model";
import type { EngineSettings } from "./settings";
import type { WeightsAnswer } from "./weights";

export type { StatedFormat } from "../planner/model/weights-name";

export type Processor = "nvidia" | "amd" | "cpu";

/** API of an engine: OpenAI's, or KServe v2 over HTTP or gRPC. */
export type Protocol = "openai" | "kserve-http" | "kserve-grpc";

/**
 * Engine-independent meaning of a metric. `*Seconds` are histograms, `*Total` counters,
 * `*SummaryMicroseconds` summaries with quantile 0.99.
 */
export type MetricMeaning =
  | "requestsWaiting"
  | "requestsRunning"
  | "kvCacheUsage"
  | "timeToFirstTokenSeconds"
  | "interTokenSeconds"
  | "meanTokenSeconds"
  | "latencySeconds"
  | "latencySummaryMicroseconds"
  | "promptTokensTotal"
  | "generatedTokensTotal"
  | "requestsTotal"
  | "preemptionsTotal";

/** Weight format names allowed in `models.<name>.quantization`. */
export interface FormatNames {
  readonly names: readonly string[];
  /** Names that the pinned version no longer supports. @default none */
  readonly removed?: readonly string[];
  /** When which names are allowed. @default any */
  readonly allowed?: string;
  /** Whether a name, in any accepted spelling, is one of its formats. */
  takes(name: string): boolean;
}

/** Engine flags as the memory estimate reads them. */
export interface FlagReading {
  /** Flags whose values the estimate includes. */
  readonly counted: readonly string[];
  /** Values that it cannot include. */
  readonly problems: readonly { readonly flag: string; readonly allowed: string }[];
}

/** How an engine spreads a model over GPUs. All can split layers over GPUs of a node. */
export interface Parallelism {
  /** Tensor parallelism: splits matrices. */
  readonly tensor: boolean;
  readonly overNodes: boolean;
}

/** Number formats of a model as loaded and cached. */
export type Served = Pick<MemoryRequest, "architecture" | "quantization" | "kvCacheDtype">;

export interface BatchLimits {
  /** Concurrent requests; others wait. */
  readonly sequences: number;
  /** Prompt tokens. @default whole prompts */
  readonly promptTokens?: number;
}

export interface FabricImage {
  /** Catalogue name. */
  readonly image: string;
  /** First engine version with such an image. */
  readonly since: string;
}

/** Engine limit that no setting raises. */
export interface MostAtOnce {
  readonly requests: number;
  readonly reason: string;
  /** How to serve more. */
  readonly remedy: string;
}

/**
 * Prefix caching across clients: none, shared, or only within a `cache_salt`. Reuse is visible in
 * the time to first token (CVE-2025-46570).
 */
export type PrefixReuse = "none" | "shared" | "salted";

export interface VersionForm {
  readonly pattern: RegExp;
  readonly allowed: string;
  readonly example: string;
}

export interface SharedServer {
  /** Why these models cannot share a server, with names and fix. */
  problems(models: readonly ServedModel[]): readonly string[];
  /**
   * GiB per GPU that must stay free in addition to all models.
   *
   * @param alone estimate of each on its own server.
   */
  reserveGiB(requests: readonly MemoryRequest[], alone: readonly MemoryEstimate[]): number;
}

/** Sidecars, included in the pod's resources. CPU in cores, the rest in GiB. */
export interface SidecarResources {
  readonly cpu: number;
  readonly memoryGiB: number;
  readonly ephemeralStorageGiB: number;
}

/** Requirements on CPUs besides estimated memory. */
export interface OnCpu {
  /** Of `/dev/shm`, GiB. */
  readonly sharedMemoryGiB: number;
  /**
   * Compatibility of a model with processors of an architecture.
   * @param isPinned whether the version's tables were read.
   */
  verdict(model: ServedModel, arch: CpuArchitecture, isPinned: boolean): CardVerdict;
}

/** User-level settings that make an engine report request spans. */
export interface TraceSettings {
  readonly args: Readonly<Record<string, ArgumentValue>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Facts about an inference engine for planner, configuration, gateway, report and alerts; its pods
 * are in `components/serving`.
 */
export interface Engine {
  /** Display name. */
  readonly label: string;
  /** One sentence on what it serves and where. */
  readonly summary: string;
  /** Catalogue images by processor; missing where the engine does not run. */
  readonly images: Readonly<Partial<Record<Processor, string>>>;
  /**
   * Images of a model whose settings need others; their version becomes its default.
   * @default images
   */
  imagesFor?(model: Pick<ServedModel, "engineSettings">): Engine["images"];
  /**
   * Replacement of its NVIDIA image for replicas that span nodes over a network without transport
   * in it.
   * @default none
   */
  readonly fabricImages?: Readonly<Partial<Record<FabricKind, FabricImage>>>;
  versionOf(tag: string): string;
  /** @default three numbers with a release's suffix */
  readonly versionForm?: VersionForm;
  /** Supported source kinds. */
  readonly sources: readonly ModelSource["kind"][];
  /** Origin of weights: the model store, the engine's registry, or its image. */
  readonly weightsFrom: "store" | "registry" | "image";
  readonly tasks: readonly ModelTask[];
  /**
   * Configuration to add if a model has none: key and value.
   * @default a catalogue name, or a config.json
   */
  readonly missingModel?: string;
  /**
   * Weight format if neither configuration nor catalogue gives one.
   * @default the checkpoint's own
   */
  readonly defaultQuantization?: string;
  /** Same, if the checkpoint determines it. @default defaultQuantization */
  usualFormat?(architecture: ModelArchitecture): string;
  /** Weight format in a source's name, if it decides what is served. @default none */
  formatNamed?(source: ModelSource): StatedFormat | undefined;
  /** Why it cannot serve a source of a supported kind. @default none */
  sourceFault?(source: ModelSource): { readonly allowed: string; readonly fix: string } | undefined;
  /** Weight formats on request. */
  readonly formats: FormatNames;
  /** Whether it serves a model under several names at once. @default no */
  readonly takesAliases?: true;
  /** Supported served names. @default all */
  readonly servedNames?: { readonly pattern: RegExp; readonly allowed: string };
  /** Flags and variables of the pinned version, with rules. */
  readonly options: EngineOptionCatalogue;
  /** Prefix of its variables: an unknown name with it is a mistake. */
  readonly variablePrefix: string;
  /** LoRA adapter support. @default none */
  readonly adapters?: AdapterSupport;
  /** The engine's block in a model's configuration. @default none */
  readonly settings?: EngineSettings;
  /** Flags that the memory estimate includes, without dashes. @default none */
  readonly memoryFlags?: readonly string[];
  /**
   * Flags that the estimate cannot include, with the reason and replacement that `npm run model`
   * shows.
   * @default the text in `options`
   */
  readonly overridingFlags?: Readonly<Record<string, string>>;
  /** Whether the estimate depends on the version; otherwise it is the pinned one's. */
  readonly memoryByVersion: boolean;
  /** @default no flag affects the estimate */
  readFlags?(args: Readonly<Record<string, ArgumentValue>>): FlagReading;
  readonly parallelism: Parallelism;
  /**
   * Engine whose kernels determine speed constants (planner/speed/constants.json).
   * @default itself
   */
  readonly kernelsOf?: string;
  /** Hard limit of concurrent requests of a model. @default none */
  mostAtOnce?(model: Pick<ServedModel, "task" | "architecture">): MostAtOnce | undefined;
  /** Step limits from settings and defaults. @default limited by the cache */
  batchLimits?(request: MemoryRequest): BatchLimits;
  /** Span reporting that continues the request's `traceparent`. @default unsupported */
  traces?(receiver: TraceReceiver, model: Pick<ServedModel, "name" | "engineVersion">): TraceSettings | undefined;
  /** Memory per GPU of a replica, and whether the load fits. */
  estimate(request: MemoryRequest): MemoryEstimate;
  /** Why a layout cannot run, with figures. @default none */
  layoutProblems?(request: LayoutRequest): readonly string[];
  /** Why replicas of this model cannot span nodes, with the fix. @default no restriction */
  staysOnNode?(model: ServedModel): { readonly reason: string; readonly remedy: string } | undefined;
  /** Flags that may enable a rejected layout, with their effect. @default none */
  readonly layoutFlags?: readonly { readonly flag: string; readonly text: string }[];
  /** Flags that reduce allocation at start besides the load, with their effect. @default none */
  readonly startFlags?: readonly { readonly flag: string; readonly text: string }[];
  /** Longest context of a version, tokens. @default the model's own */
  contextLimit?(architecture: ModelArchitecture, version: string): number;
  /** Why a version's memory is unknown. @default known for all */
  versionProblems?(version: string): readonly string[];
  /** Support of the release for the model's class. @default all, or unknown */
  modelClass?(model: ServedModel): { readonly verdict: "refused" | "doubtful"; readonly reason: string } | undefined;
  /** Other reasons not to start, apart from memory and layout. @default none */
  startProblems?(request: MemoryRequest): readonly string[];
  /** What happens to a replica whose load does not fit. @default unknown */
  lackOfMemory?(request: MemoryRequest, estimate: MemoryEstimate): string | undefined;
  /** The model as loaded. @default as requested */
  served?(request: MemoryRequest): Served;
  /** Tokens that a bounded window keeps additionally, and for what. @default none */
  windowMargin?(request: MemoryRequest): { readonly tokens: number; readonly text: string };
  /** Format of weights after loading. @default files are written in the requested format */
  weights?(model: ServedModel): WeightsAnswer;
  /** Settings that about halve the model's weights or cache. @default none */
  savings?(model: ServedModel): Partial<Pick<ServedModel, "quantization" | "kvCacheDtype">>;
  /**
   * Support of a card for which the image has code.
   * @default unknown
   */
  cardVerdict?(model: ServedModel, card: Card): CardVerdict;
  /**
   * Whether `cardVerdict` covers the model's own release, including its image's cards, or reports
   * it as unread.
   * @default the pinned one
   */
  readonly cardsByVersion?: true;
  /** Newest release with code for a card that also serves the model. @default unknown */
  releaseWithCode?(model: ServedModel, card: Card): string | undefined;
  /**
   * Host memory of a GPU pod to which weights can move.
   * @param weightsGiB on the pod's GPUs.
   * @default none
   */
  weightsInHostGiB?(model: ServedModel, weightsGiB: number): number;
  /**
   * Host memory per pod of the model's own options.
   * @default none, or included elsewhere
   */
  hostMemory?(model: ServedModel, pod: PodOfReplica): readonly HostMemoryUse[];
  /** @default runs all models on CPUs, without shared memory */
  readonly onCpu?: OnCpu;
  /** Allocates its GPU memory limit at start, regardless of need. */
  readonly preallocatesGpuMemory: boolean;
  /** Why it cannot use time slicing, which does not partition memory. @default it can */
  readonly noTimeSlicing?: string;
  /** Seconds from loaded weights to the first answer, on one node. */
  readonly warmUpSeconds: number;
  /** Replicas that answer clients, if others of the model assist them. @default all */
  answering?(model: Pick<ServedModel, "engineSettings">): number | undefined;
  /** Why its pods cannot be nodes of a server group. @default they can */
  readonly noNodes?: string;
  /** Why its replicas cannot be scaled at run time. @default an autoscaler can */
  readonly noScaling?: string;
  readonly sidecar: SidecarResources;
  /** Additional pod per model on the same pool, without GPUs. @default none */
  readonly companion?: SidecarResources;
  /** Zonal volume with state that coordinates a model's replicas, GiB. @default none */
  readonly stateGiB?: number;
  /**
   * Component that starts all new replicas before it ends the old ones.
   * @default in-place replacement, because no spare GPUs exist
   */
  readonly replacesBeside?: string;
  /**
   * `model_type` and `architectures` values of config.json with built-in chat formats; other chat
   * models need a template.
   * @default unknown
   */
  readonly chatFormats?: readonly string[];
  /** Prefix caching behaviour. */
  prefixReuse(model: Pick<ServedModel, "engineVersion" | "task" | "args" | "engineSettings">): PrefixReuse;
  /** Whether images of multimodal requests are cached for all requests without salt. @default no */
  reusesImages?(model: Pick<ServedModel, "args">): boolean;
  /** Supported APIs with ports. */
  readonly ports: Readonly<Partial<Record<Protocol, number>>>;
  /** Liveness and readiness (model loaded) paths of its first API. */
  readonly health: { readonly alive: string; readonly ready: string };
  /** Prometheus endpoint of each pod and meaning of its series. @default none */
  readonly metrics?: {
    readonly port: number;
    readonly path: string;
    readonly series: Readonly<Partial<Record<MetricMeaning, string>>>;
    /** Histogram bucket bounds for service levels, seconds. @default unknown */
    readonly bounds?: Readonly<Partial<Record<MetricMeaning, readonly number[]>>>;
    /** First releases with a series. @default all */
    readonly since?: Readonly<Partial<Record<MetricMeaning, string>>>;
    /** Additional recorded name of its p99 request time, in milliseconds. @default none */
    readonly p99LatencyName?: string;
  };
  /** @default separate pods per model */
  readonly sharedServer?: SharedServer;
  /** Why new users should avoid it. @default none */
  readonly legacy?: string;
}

/**
 * The first three-number version in tags such as `v0.33.0`, `0.32.15-rocm`, `rocm7.2_vllm_0.33.0`.
 */
export function semanticVersionOf(tag: string): string {
  return /\d+\.\d+\.\d+/.exec(tag)?.[0] ?? tag;
}
