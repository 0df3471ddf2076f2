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

/** What a pod computes on. */
export type Processor = "nvidia" | "amd" | "cpu";

/** API that an engine speaks: OpenAI's, or KServe's v2 over HTTP or gRPC. */
export type Protocol = "openai" | "kserve-http" | "kserve-grpc";

/**
 * What a series of an engine says, whatever the engine calls it. `*Seconds` are histograms, `*Total` are counters,
 * `*SummaryMicroseconds` are summaries with a quantile of 0.99.
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

/** Names of weight formats that `models.<name>.quantization` may have. */
export interface FormatNames {
  readonly names: readonly string[];
  /** Of these, what the pinned version reads no more, and says so. @default none */
  readonly removed?: readonly string[];
  /** Which of them may be written when. @default any of them */
  readonly allowed?: string;
  /** Of its formats, in any spelling that it understands. */
  takes(name: string): boolean;
}

/** What the memory figure makes of an engine's flags. */
export interface FlagReading {
  /** Names of the flags that the figure counts with the values that they have. */
  readonly counted: readonly string[];
  /** Values that it cannot count with. */
  readonly problems: readonly { readonly flag: string; readonly allowed: string }[];
}

/** How an engine spreads a model over GPUs. Layers over those of one node, each can. */
export interface Parallelism {
  /** Cuts matrices: tensor parallelism. */
  readonly tensor: boolean;
  /** A replica may span nodes. */
  readonly overNodes: boolean;
}

/** What an engine would serve of a model: its numbers as they are loaded and cached. */
export type Served = Pick<MemoryRequest, "architecture" | "quantization" | "kvCacheDtype">;

/** What one step of an engine takes at most. */
export interface BatchLimits {
  /** Requests that run at once; others wait. */
  readonly sequences: number;
  /** Tokens of prompts. @default whole prompts */
  readonly promptTokens?: number;
}

/** An image for one kind of network between nodes. */
export interface FabricImage {
  /** Catalogue name. */
  readonly image: string;
  /** First version of the engine that there is one of. */
  readonly since: string;
}

/** A limit of an engine that no setting of it raises. */
export interface MostAtOnce {
  readonly requests: number;
  readonly reason: string;
  /** What serves more at once. */
  readonly remedy: string;
}

/**
 * What an engine does with prompts of several clients that begin alike: it keeps none, reuses what it computed for whoever asked, or
 * reuses it within the same `cache_salt` of a request alone. Reuse shows in the time to the first token (CVE-2025-46570).
 */
export type PrefixReuse = "none" | "shared" | "salted";

/** How the versions of an engine are written. */
export interface VersionForm {
  readonly pattern: RegExp;
  readonly allowed: string;
  readonly example: string;
}

/** How several planned models are served by one process. */
export interface SharedServer {
  /** Why these models cannot be on one server, each with its names and what to do. */
  problems(models: readonly ServedModel[]): readonly string[];
  /**
   * GiB of each GPU that have to stay free beside all of them.
   *
   * @param alone the estimate of each as if it had the server to itself.
   */
  reserveGiB(requests: readonly MemoryRequest[], alone: readonly MemoryEstimate[]): number;
}

/** What runs in a model's pod beside the engine, and is part of the pod's resources. CPU in cores, the rest in GiB. */
export interface SidecarResources {
  readonly cpu: number;
  readonly memoryGiB: number;
  readonly ephemeralStorageGiB: number;
}

/** What an engine needs where it computes on CPUs, besides the memory that it estimates. */
export interface OnCpu {
  /** Of `/dev/shm`, GiB. */
  readonly sharedMemoryGiB: number;
  /** What it makes of a model on processors of an architecture. @param isPinned its version is the one whose tables were read. */
  verdict(model: ServedModel, arch: CpuArchitecture, isPinned: boolean): CardVerdict;
}

/** What makes an engine report spans of requests, as a user would write it. */
export interface TraceSettings {
  readonly args: Readonly<Record<string, ArgumentValue>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * All that the platform knows of an inference engine, but how its pods are made: that is its component in
 * `components/serving`. Pure: planner, configuration, gateway, report and alerts read it.
 */
export interface Engine {
  /** As people write it. */
  readonly label: string;
  /** What it serves and where, as one sentence. */
  readonly summary: string;
  /** Catalogue images by what they compute on; where it lacks one, the engine does not run. */
  readonly images: Readonly<Partial<Record<Processor, string>>>;
  /** Of a model whose own settings ask for other images: their version is then its default. @default images */
  imagesFor?(model: Pick<ServedModel, "engineSettings">): Engine["images"];
  /** What replaces its NVIDIA image where a replica spans nodes over a network that this one has no transport for. @default none */
  readonly fabricImages?: Readonly<Partial<Record<FabricKind, FabricImage>>>;
  /** The engine's version in a tag of its images. */
  versionOf(tag: string): string;
  /** @default three numbers, and what a release adds to them */
  readonly versionForm?: VersionForm;
  /** Kinds of sources that it can serve. */
  readonly sources: readonly ModelSource["kind"][];
  /** Who brings the weights: our model store, the engine's own registry, or its image. */
  readonly weightsFrom: "store" | "registry" | "image";
  readonly tasks: readonly ModelTask[];
  /** What to add where a model of this engine names none: key and value. @default a catalogue name, or a config.json */
  readonly missingModel?: string;
  /** Weight format where neither the configuration nor the catalogue names one. @default the checkpoint's own */
  readonly defaultQuantization?: string;
  /** The same for a model whose checkpoint decides it. @default defaultQuantization */
  usualFormat?(architecture: ModelArchitecture): string;
  /** The weight format that a source's name states, where the name decides what is served. @default names decide nothing */
  formatNamed?(source: ModelSource): StatedFormat | undefined;
  /** Why it does not serve a source of a kind that it takes. @default it serves every one */
  sourceFault?(source: ModelSource): { readonly allowed: string; readonly fix: string } | undefined;
  /** Weight formats that it can be asked for. */
  readonly formats: FormatNames;
  /** It serves a model under several names at once. @default under one */
  readonly takesAliases?: true;
  /** Names that it can serve a model under. @default every one */
  readonly servedNames?: { readonly pattern: RegExp; readonly allowed: string };
  /** Flags and variables of the version that the platform pins, and what may be made of them. */
  readonly options: EngineOptionCatalogue;
  /** Beginning of the variables that it alone reads: a name like that which it lacks is a slip. */
  readonly variablePrefix: string;
  /** LoRA adapters of a model. @default it takes none */
  readonly adapters?: AdapterSupport;
  /** Its own block in the configuration of a model, under its name. @default it has none */
  readonly settings?: EngineSettings;
  /** Flags that the memory figure counts with, without dashes. @default none of them */
  readonly memoryFlags?: readonly string[];
  /**
   * Flags that the memory figure takes under no name, and what `npm run model` says of them: why, and which of its options
   * to write. @default what `options` says of a flag is answer enough
   */
  readonly overridingFlags?: Readonly<Record<string, string>>;
  /** The memory figure differs from version to version; else it is that of the pinned one. */
  readonly memoryByVersion: boolean;
  /** @default the memory figure counts none of its flags */
  readFlags?(args: Readonly<Record<string, ArgumentValue>>): FlagReading;
  readonly parallelism: Parallelism;
  /** Whose kernels compute, as the speed constants call them (planner/speed/constants.json). @default its own */
  readonly kernelsOf?: string;
  /** Requests of a model that it takes at once whatever it is set to. @default as many as it is set to */
  mostAtOnce?(model: Pick<ServedModel, "task" | "architecture">): MostAtOnce | undefined;
  /** What it takes into one step at most, by what it is told and its own defaults. @default as much as its cache holds */
  batchLimits?(request: MemoryRequest): BatchLimits;
  /** How it reports spans, which continue the trace of the request's `traceparent`. @default it cannot */
  traces?(receiver: TraceReceiver, model: Pick<ServedModel, "name" | "engineVersion">): TraceSettings | undefined;
  /** Memory of a replica per GPU, and whether the load fits. */
  estimate(request: MemoryRequest): MemoryEstimate;
  /** Why a layout cannot run, each reason with its numbers. @default any layout runs */
  layoutProblems?(request: LayoutRequest): readonly string[];
  /** Why a replica of this model stays on one node, whatever others may do, and what would change that. @default nothing keeps it */
  staysOnNode?(model: ServedModel): { readonly reason: string; readonly remedy: string } | undefined;
  /** Flags that may let a layout run that would not without them, and what they do. @default there are none */
  readonly layoutFlags?: readonly { readonly flag: string; readonly text: string }[];
  /** Flags with which it allocates less besides the load when it starts, and what they do. @default there are none */
  readonly startFlags?: readonly { readonly flag: string; readonly text: string }[];
  /** Longest context that a version accepts, tokens. @default the model's own */
  contextLimit?(architecture: ModelArchitecture, version: string): number;
  /** Why nothing is known of a version's memory. @default all versions are alike */
  versionProblems?(version: string): readonly string[];
  /** What the release makes of the model's class. @default it has every class, or nobody knows */
  modelClass?(model: ServedModel): { readonly verdict: "refused" | "doubtful"; readonly reason: string } | undefined;
  /** Further reasons why it would not start, whatever memory and layout it has. @default there are none */
  startProblems?(request: MemoryRequest): readonly string[];
  /** What becomes of a replica whose load does not fit. @default nobody knows */
  lackOfMemory?(request: MemoryRequest, estimate: MemoryEstimate): string | undefined;
  /** The model as it is loaded. @default as it is asked for */
  served?(request: MemoryRequest): Served;
  /** Tokens that a bounded window keeps besides its own, and whose they are. @default none */
  windowMargin?(request: MemoryRequest): { readonly tokens: number; readonly text: string };
  /** What it makes of weights when it loads them. @default files are written in the format that is asked for */
  weights?(model: ServedModel): WeightsAnswer;
  /** Settings with which the model would take about half of its weights, or of its cache. @default there are none */
  savings?(model: ServedModel): Partial<Pick<ServedModel, "quantization" | "kvCacheDtype">>;
  /**
   * What it makes of a card that its image has code for.
   * @default nothing more is known
   */
  cardVerdict?(model: ServedModel, card: Card): CardVerdict;
  /** `cardVerdict` knows the model's own release, the cards of its image too, or says that it was not read. @default the pinned one */
  readonly cardsByVersion?: true;
  /** The newest release whose image has code for a card, where that serves the model on it. @default none is known */
  releaseWithCode?(model: ServedModel, card: Card): string | undefined;
  /**
   * Memory of a pod with GPUs that the engine may move weights to.
   * @param weightsGiB on the pod's GPUs.
   * @default they stay where they are
   */
  weightsInHostGiB?(model: ServedModel, weightsGiB: number): number;
  /**
   * What the model's own options take of the memory of each of its pods.
   * @default nothing, or what the engine takes anyway
   */
  hostMemory?(model: ServedModel, pod: PodOfReplica): readonly HostMemoryUse[];
  /** @default it runs there whatever it serves, and shares no memory */
  readonly onCpu?: OnCpu;
  /** Takes the GPU memory that it may use when it starts, whatever the model needs. */
  readonly preallocatesGpuMemory: boolean;
  /** Why it cannot take turns on a GPU with other pods, whose memory nobody parts. @default it can */
  readonly noTimeSlicing?: string;
  /** Seconds from weights in memory to the first answer, on one node. */
  readonly warmUpSeconds: number;
  /** Replicas that answer clients, where others of the same model work for them. @default all answer */
  answering?(model: Pick<ServedModel, "engineSettings">): number | undefined;
  /** Why its pods cannot be nodes of a server group. @default they can */
  readonly noNodes?: string;
  /** Why nobody can change the number of its replicas while it runs. @default an autoscaler can */
  readonly noScaling?: string;
  /** What runs beside it in each pod. */
  readonly sidecar: SidecarResources;
  /** A pod of its own that each model needs once besides its replicas, on the same pool, without GPUs. @default none */
  readonly companion?: SidecarResources;
  /** Volume in one zone with what keeps the replicas of a model together, GiB. @default none */
  readonly stateGiB?: number;
  /**
   * A change starts all replicas anew beside those that run, which go when the new ones answer: who does that.
   * @default replicas are replaced in place, for no GPU is kept free
   */
  readonly replacesBeside?: string;
  /**
   * `model_type` and `architectures` values of config.json whose chats it writes itself; each other model that chats needs a
   * template. @default not known
   */
  readonly chatFormats?: readonly string[];
  /** What it makes of prompts that begin alike. */
  prefixReuse(model: Pick<ServedModel, "engineVersion" | "task" | "args" | "engineSettings">): PrefixReuse;
  /** Whether it keeps the images of a model that takes them for all requests, in caches that know no salt. @default it does not */
  reusesImages?(model: Pick<ServedModel, "args">): boolean;
  /** APIs that it speaks, with the port of each. */
  readonly ports: Readonly<Partial<Record<Protocol, number>>>;
  /** Paths on the port of its first API: it lives, and it has its model. */
  readonly health: { readonly alive: string; readonly ready: string };
  /** Prometheus endpoint of each pod, and what its series mean. @default it has none */
  readonly metrics?: {
    readonly port: number;
    readonly path: string;
    readonly series: Readonly<Partial<Record<MetricMeaning, string>>>;
    /** Upper bounds of the buckets of histograms that service levels are compared with, seconds. @default not known */
    readonly bounds?: Readonly<Partial<Record<MetricMeaning, readonly number[]>>>;
    /** First releases with a series of that name. @default all have it */
    readonly since?: Readonly<Partial<Record<MetricMeaning, string>>>;
    /** Name under which its 99th percentile of a request's time is recorded besides, in milliseconds. @default none */
    readonly p99LatencyName?: string;
  };
  /** @default each model has pods of its own */
  readonly sharedServer?: SharedServer;
  /** Why nobody should begin with it. @default nothing speaks against it */
  readonly legacy?: string;
}

/** The version in tags such as `v0.33.0`, `0.32.15-rocm`, `rocm7.2_vllm_0.33.0`: their first of three numbers. */
export function semanticVersionOf(tag: string): string {
  return /\d+\.\d+\.\d+/.exec(tag)?.[0] ?? tag;
}
