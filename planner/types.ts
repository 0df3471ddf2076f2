/**
 * The plan: all decisions before any resource exists. Plain data, no Pulumi. Units in names: GiB is
 * 2^30 bytes, GB is 1e9 bytes, Usd is US dollars.
 */

import type { FabricKind } from "../catalog/fabrics";
import type { GpuResource, GpuSlice } from "../catalog/shapes";
import type { EngineName, SidecarResources } from "../engines";
import type { AdapterRoom } from "../engines/adapters";
import type {
  Adapter,
  ArgumentValue,
  ChatTemplate,
  EngineOwnSettings,
  LoadAs,
  ModelLoading,
  ModelSource,
  ModelTask,
  OwnImage,
} from "../engines/served-model";
import type { AvailabilityPlan } from "./availability/spread";
import type { CostPlan } from "./cost-plan";
import type { NodePlan, ServerGroupPlan } from "./inference-nodes";
import type { SpeedPlan } from "./level/speed-plan";
import type { MemoryVerdict } from "./memory/verdict";
import type { MeshMode } from "./mesh-reserve";
import type { PoolPlan, Taint } from "./pool-plan";
import type { PrefixCaches } from "./prefix-caches";
import type { ScalingPlan } from "./scaling";
import type { ServiceLevel } from "./service-level";
import type { TokenPrice } from "./speed/price";
import type { StoragePlan } from "./storage-plan";
import type { NameLimits, Tenant, TokenIssuer } from "./tenants";
import type { Traffic } from "./traffic";
import type { UserPod } from "./user-pod";

export type { EngineName } from "../engines";
export type {
  Adapter,
  ArgumentValue,
  ArtifactSource,
  ChatTemplate,
  EngineOwnSettings,
  LoadAs,
  ModelLoading,
  ModelSource,
  ModelTask,
  OwnImage,
} from "../engines/served-model";
export { type CostPlan, SERVICE_KINDS, type ServiceCost, type ServiceKind } from "./cost-plan";
export type { FabricGatePlan, NumaPolicy, PoolFabric, PoolPlan, Taint } from "./pool-plan";
export type { UserContainer, UserPod, UserProbe, UserVolume } from "./user-pod";

export type ClusterKind = "local" | "oci" | "aws" | "edge";

/**
 * `production` protects stateful resources and has redundant replicas; `development` is disposable.
 */
export type Stage = "production" | "development";

/** The tightest GPU of one replica (or the host, on CPUs). */
export interface MemoryPerGpu {
  readonly weightsGiB: number;
  /** For the declared context × concurrency. */
  readonly kvCacheGiB: number;
  /** Activations, CUDA graphs, communication buffers. */
  readonly overheadGiB: number;
  /** The sum; its error is in the verdict. */
  readonly totalGiB: number;
  /** Usable memory × utilization (plus what the engine takes outside that budget). */
  readonly limitGiB: number;
}

/** Requests of one replica pod. CPU in cores, memory in GiB. GPU pods have equal limits. */
export interface PodResources {
  readonly cpu: number;
  readonly memoryGiB: number;
  readonly ephemeralStorageGiB: number;
  /** Memory-backed /dev/shm of NCCL and the engine's workers; 0: none. */
  readonly sharedMemoryGiB: number;
  /** Part of `memoryGiB` for options under `args` and `env`. @default none */
  readonly optionMemoryGiB?: number;
  readonly gpus: number;
  readonly gpuResource?: GpuResource;
  /** Extended resources besides GPUs, such as RDMA devices. */
  readonly extended?: Readonly<Record<string, number>>;
}

/** A canary of a model: a separate model to all but clients. */
export interface Revision {
  /** Model whose requests it shares. */
  readonly model: string;
  /** Percent of those requests. */
  readonly weight: number;
}

export interface ModelPlan {
  /** Key in the environment; also its namespace suffix and route. */
  readonly name: string;
  /** Value of `model` in requests. */
  readonly servedName: string;
  /** Further accepted values. @default none */
  readonly aliases?: readonly string[];
  readonly engine: EngineName;
  readonly engineVersion: string;
  /** @default the catalogue's image of that version */
  readonly image?: OwnImage;
  readonly task: ModelTask;
  readonly domain?: string;
  readonly revisionOf?: Revision;
  readonly source: ModelSource;
  /** In the model store, where not `<domain>/<name>`: one revision of several. */
  readonly storeFolder?: string;
  readonly loading: ModelLoading;
  readonly pool: string;
  readonly shape: string;
  readonly gpuVendor?: "nvidia" | "amd";
  readonly gpuModel?: string;
  /** HSA_OVERRIDE_GFX_VERSION, where images lack code for the card. @default none */
  readonly hsaOverride?: string;
  /** Set for GPUs that are slices. */
  readonly gpuSlice?: GpuSlice;
  readonly cpuArch: "amd64" | "arm64";
  readonly gpusPerNode: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly nodesPerReplica: number;
  /** Between nodes of one replica; only where it spans nodes. */
  readonly nodeLink?: NodeLink;
  readonly minReplicas: number;
  /** Reserved in pool and quota. */
  readonly maxReplicas: number;
  /** @default no autoscaling */
  readonly scaling?: ScalingPlan;
  readonly serviceLevel?: ServiceLevel;
  /** Promised and expected availability, and the spread for it. */
  readonly availability?: AvailabilityPlan;
  readonly traffic?: Traffic;
  /** A node of a server group. */
  readonly node?: NodePlan;
  /** Sum of platform sidecars per pod, part of `resources`. @default none */
  readonly sidecars?: SidecarResources;
  /** User additions to its pods. @default none */
  readonly pod?: UserPod;
  /** Separates consumers' prompts in the prefix cache. @default no */
  readonly prefixCaches?: PrefixCaches;
  /** Non-sharing consumers may name images by own keys in a common cache, unsalted. @default no */
  readonly namedImages?: boolean;
  /** Consumers restricted to some of its names. @default none */
  readonly nameLimits?: NameLimits;
  /** Model whose server it is on, without own pods, GPUs and volume. */
  readonly serverOf?: string;
  /** With other models on its server: all together. */
  readonly server?: ServerPlan;
  /** The model has a vision tower. */
  readonly takesImages: boolean;
  /** Some layers keep a state per request (Mamba, linear attention) in place of a growing cache. */
  readonly keepsStates: boolean;
  readonly contextTokens: number;
  readonly concurrency: number;
  /** vLLM's share of GPU memory. */
  readonly gpuMemoryUtilization: number;
  readonly kvCacheDtype: "auto" | "bfloat16" | "fp8";
  readonly quantization?: string;
  readonly loadAs?: LoadAs;
  /** Usual name: `BF16`, `FP8-block-128x128`, `Q4_K_M`. */
  readonly format: string;
  readonly maxNumSeqs?: number;
  /** Engine flags beyond the plan's, without dashes. */
  readonly args?: Readonly<Record<string, ArgumentValue>>;
  /** Engine variables beyond the platform's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly chatTemplate?: ChatTemplate;
  readonly adapters?: AdaptersPlan;
  /** Read by the engine's component only. */
  readonly engineSettings?: EngineOwnSettings;
  readonly memoryPerGpu: MemoryPerGpu;
  /** Always "fits": placement requires the interval's upper end within the limit. */
  readonly verdict: MemoryVerdict;
  /** KV tokens that the engine reports per replica. */
  readonly kvTokens: number;
  readonly totalParametersB: number;
  /** Files to download, GB; an engine may load them in another format. */
  readonly weightsGB: number;
  /** Model volume per pod: at least 1.5 × its files (M5). */
  readonly modelStorageGiB: number;
  readonly startupBudgetSeconds: number;
  /** Drain time of a stopping replica. */
  readonly drainSeconds: number;
  readonly resources: PodResources;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Taint[];
  readonly hourlyUsd: number;
  readonly monthlyUsd: number;
  readonly speed?: SpeedPlan;
  readonly noSpeed?: string;
  /** With known speed. */
  readonly tokenPrice?: TokenPrice;
  readonly sizing: SizingComparison | undefined;
  /** Undefined without GPUs and above the table's largest class. */
  readonly capacityTable: CapacityTableComparison | undefined;
  /** Basis and assumptions of the estimate. */
  readonly notes: readonly string[];
}

export interface AdaptersPlan extends AdapterRoom {
  readonly list: readonly Adapter[];
  /** Share of each GPU's weights: the whole room, used or not. */
  readonly gpuGiB: number;
  /** Upper bound of one adapter's files, GB: largest rank, every matrix, float32. */
  readonly fileGB: number;
  /** Volume of all per pod, and in the model store: at least 1.5 × their files. */
  readonly storageGiB: number;
}

/** One process with several models. */
export interface ServerPlan {
  /** Names, the host first. */
  readonly models: readonly string[];
  /** Together, on the tightest GPU. */
  readonly memoryPerGpu: MemoryPerGpu;
  /** Upper end of their joint interval, GiB. */
  readonly mostGiB: number;
  /** Volume per replica for all. */
  readonly storageGiB: number;
}

/** Link between a replica's nodes as rendered, not as the machines could. */
export interface NodeLink {
  /** TCP: the machines' Ethernet. RDMA: all devices; NCCL fails where it cannot use them. */
  readonly transport: "tcp" | FabricKind;
  /** Undefined where the catalogue's figure includes interfaces that TCP does not use. */
  readonly gbps?: number;
  /** Host network: outside NetworkPolicies, one pod per node. */
  readonly hostNetwork: boolean;
  /**
   * Node label whose value a replica's nodes share, and no other replica has. @default any nodes of
   * the pool
   */
  readonly topologyLabel?: string;
  /** NetworkAttachmentDefinitions per pod, "namespace/name", one per additional interface. */
  readonly networks: readonly string[];
  /** For NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A hosted model behind an OpenAI-compatible URL. Its weights, machines, limits and price are
 * unknown, so nothing is estimated.
 */
export interface ExternalModelPlan {
  /** Key in the environment; also its route. */
  readonly name: string;
  /** Value of `model` in requests. */
  readonly servedName: string;
  readonly task: ModelTask;
  /** With its path. */
  readonly url: string;
  /** Name at the API. */
  readonly modelThere: string;
  /** Health check of the gateway: path from the server's root. */
  readonly healthPath: string;
  /** Secret with the gateway's key. @default no key */
  readonly secretKey?: string;
  /** CIDR networks that the URL's name resolves to. @default unknown */
  readonly networks?: readonly string[];
  /** CAs of the server's certificate. @default those of the gateway's image */
  readonly authorities?: CertificateFile;
}

export interface CertificateFile {
  readonly file: string;
  /** PEM. */
  readonly text: string;
}

export interface UnplacedModel {
  readonly name: string;
  readonly servedName: string;
  readonly engine: EngineName;
  readonly engineVersion: string;
  readonly task: ModelTask;
  readonly revisionOf?: Revision;
  readonly source: ModelSource;
  readonly format: string;
  readonly contextTokens: number;
  readonly concurrency: number;
  /** As in `CapacityProblem.rule`. */
  readonly rule: string;
  /** Pool and layout that lack least; undefined where no layout obeys the engine's rules. */
  readonly nearest?: {
    readonly pool: string;
    readonly shape: string;
    readonly tensorParallel: number;
    readonly pipelineParallel: number;
    readonly nodesPerReplica: number;
    readonly gpusPerNode: number;
    readonly memoryPerGpu: MemoryPerGpu;
    readonly verdict: MemoryVerdict;
  };
}

/** The five-step rule next to the planner's figure (docs/sizing.md). */
export interface SizingComparison {
  /** Input of the rule: see `fiveStepRule`. */
  readonly parametersB: number;
  readonly bits: number;
  readonly shapeGpuMemoryGB: number;
  readonly ruleMemoryGB: number;
  readonly ruleNodes: number;
  readonly exactNodes: number;
  readonly difference: string;
}

/** The published capacity table's row for the class next to the exact figure (docs/sizing.md). */
export interface CapacityTableComparison {
  /** 10^9 parameters, 4 bits each. */
  readonly classB: number;
  readonly tableGpuMemoryGB: number;
  readonly tableGpus: number;
  /** One replica on all its GPUs, GB. */
  readonly exactGpuMemoryGB: number;
  readonly exactGpus: number;
  /**
   * The table's range for one request at 4 bits, a rule of thumb; not for mixtures of experts and
   * embeddings.
   */
  readonly tokensPerSecond?: { readonly from: number; readonly to: number };
  readonly batchingBenefit: string;
  /** Difference to the table, and why. */
  readonly difference: string;
}

/** A reason against the deployment, or advice. */
export interface CapacityProblem {
  /** `mandatory` forbids the deployment; `advisory` is shown and counted. */
  readonly severity: "mandatory" | "advisory";
  /** As in policy results. */
  readonly rule: string;
  /** `models.<name>`, `pools.<name>`, `budget`. */
  readonly subject: string;
  /** Wrong number, allowed values and fix. May have several lines. */
  readonly message: string;
  /** Fixes known without trying. */
  readonly remedies?: readonly string[];
  /** Tested single changes that cause no other problem, cheapest first; also in the message. */
  readonly fixes?: readonly Fix[];
}

/** A change of the configuration that ends the refusal. */
export interface Fix {
  /** `models.<name>.concurrency`, `pools.<name>.shape`, … */
  readonly path: string;
  readonly from: FixValue;
  /** Null removes the setting. */
  readonly to: FixValue;
  /** Whole environment, as `CostPlan.monthlyUsd`. */
  readonly monthlyUsd: number;
}

export type FixValue = string | number | true | readonly string[] | null;

export interface DeploymentPlan {
  readonly environment: string;
  readonly stage: Stage;
  readonly pools: readonly PoolPlan[];
  readonly models: readonly ModelPlan[];
  readonly unplaced: readonly UnplacedModel[];
  /** Published hosted models. */
  readonly externalModels: readonly ExternalModelPlan[];
  /** By name. */
  readonly groups: readonly ServerGroupPlan[];
  /** @default no mesh */
  readonly mesh?: MeshMode;
  /** Callers with their limits. */
  readonly tenants: readonly Tenant[];
  /** Accepted tokens besides API keys. @default none */
  readonly tokenIssuer?: TokenIssuer;
  /** CAs of alert receivers by kind: PEM. @default none */
  readonly receiverAuthorities?: Readonly<Record<string, string>>;
  /** The same of buckets and registries that models are copied from, by `storage.buckets.<name>` and `storage.registries.<host>`. */
  readonly sourceAuthorities?: Readonly<Record<string, string>>;
  readonly storage: StoragePlan;
  readonly cost: CostPlan;
  readonly problems: readonly CapacityProblem[];
}
