/**
 * The plan: everything that is decided before a resource exists. Plain data, no Pulumi.
 * Units are in the names: GiB is 2^30 bytes, GB is 1e9 bytes, Usd is US dollars.
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

/** Where an environment's cluster comes from. */
export type ClusterKind = "local" | "oci" | "aws" | "edge";

/** `production` protects stateful resources and runs redundant replicas; `development` may be thrown away. */
export type Stage = "production" | "development";

/** Memory of the tightest GPU of one replica (or of the host, when the model runs on CPUs). */
export interface MemoryPerGpu {
  readonly weightsGiB: number;
  /** KV cache needed for the declared context × concurrency. */
  readonly kvCacheGiB: number;
  /** Activations, CUDA graphs, communication buffers. */
  readonly overheadGiB: number;
  /** The sum, by the estimate; how far that can be off is in the verdict. */
  readonly totalGiB: number;
  /** What the engine may use: usable memory × utilization (plus what it takes outside that budget). */
  readonly limitGiB: number;
}

/** What one pod of a replica asks for. CPU in cores, memory in GiB. Requests equal limits for GPU pods. */
export interface PodResources {
  readonly cpu: number;
  readonly memoryGiB: number;
  readonly ephemeralStorageGiB: number;
  /** Size of the memory-backed /dev/shm that NCCL and the engine's workers share; 0 for none. */
  readonly sharedMemoryGiB: number;
  /** Of `memoryGiB`, what options under `args` and `env` take. @default nothing */
  readonly optionMemoryGiB?: number;
  readonly gpus: number;
  readonly gpuResource?: GpuResource;
  /** Extended resources beside the GPUs, such as RDMA devices. */
  readonly extended?: Readonly<Record<string, number>>;
}

/** One revision of a model beside it: a model of its own to all but its clients. */
export interface Revision {
  /** Key of the model whose requests it shares. */
  readonly model: string;
  /** Share of those requests that it answers, percent. */
  readonly weight: number;
}

export interface ModelPlan {
  /** Key of the model in the environment; also its namespace suffix and route. */
  readonly name: string;
  /** What clients put in the `model` field of a request. */
  readonly servedName: string;
  /** What they may put there besides. @default nothing else */
  readonly aliases?: readonly string[];
  readonly engine: EngineName;
  readonly engineVersion: string;
  /** What it runs in. @default the catalogue's image of that version */
  readonly image?: OwnImage;
  readonly task: ModelTask;
  readonly domain?: string;
  readonly revisionOf?: Revision;
  readonly source: ModelSource;
  /** In the model store, where that is not `<domain>/<name>`: of one revision among several. */
  readonly storeFolder?: string;
  readonly loading: ModelLoading;
  readonly pool: string;
  readonly shape: string;
  readonly gpuVendor?: "nvidia" | "amd";
  readonly gpuModel?: string;
  /** HSA_OVERRIDE_GFX_VERSION of its pods, because no image has code for the card itself. @default none: the card needs none */
  readonly hsaOverride?: string;
  /** What each of its GPUs is, where it is no whole card. */
  readonly gpuSlice?: GpuSlice;
  readonly cpuArch: "amd64" | "arm64";
  readonly gpusPerNode: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly nodesPerReplica: number;
  /** What the nodes of one replica talk over; only where it spans nodes. */
  readonly nodeLink?: NodeLink;
  readonly minReplicas: number;
  /** Room that the pool and the quota keep for it. */
  readonly maxReplicas: number;
  /** How its replicas follow demand. @default nothing scales them */
  readonly scaling?: ScalingPlan;
  readonly serviceLevel?: ServiceLevel;
  /** What its replicas keep of the promised availability, and how far apart they are kept for it. */
  readonly availability?: AvailabilityPlan;
  readonly traffic?: Traffic;
  /** Its replicas are nodes of a server group. */
  readonly node?: NodePlan;
  /** What the platform runs beside the engine in each of its pods, all together: part of `resources`. @default nothing */
  readonly sidecars?: SidecarResources;
  /** What the user adds to its pods. @default nothing */
  readonly pod?: UserPod;
  /** Its consumers' prompts are kept apart in the engine's prefix cache. @default they are not */
  readonly prefixCaches?: PrefixCaches;
  /** Consumers that do not share may name images by keys of their own in a cache of all, and no salt is written. @default they may not */
  readonly namedImages?: boolean;
  /** Consumers that may call it by some of its names alone, with these names. @default by any */
  readonly nameLimits?: NameLimits;
  /** Model on whose server it is: it has no pods, GPUs and volume of its own. */
  readonly serverOf?: string;
  /** Where other models are on its server: all of them together. */
  readonly server?: ServerPlan;
  /** Prompts may hold images: the model has a vision tower. */
  readonly takesImages: boolean;
  /** Some of its layers keep a state for each request (Mamba, linear attention) in place of a cache that grows. */
  readonly keepsStates: boolean;
  readonly contextTokens: number;
  readonly concurrency: number;
  /** Fraction of GPU memory that vLLM may use. */
  readonly gpuMemoryUtilization: number;
  readonly kvCacheDtype: "auto" | "bfloat16" | "fp8";
  readonly quantization?: string;
  readonly loadAs?: LoadAs;
  /** Weight format as people call it: `BF16`, `FP8-block-128x128`, `Q4_K_M`. */
  readonly format: string;
  readonly maxNumSeqs?: number;
  /** Flags of the engine beyond those that the plan decides, by name without dashes. */
  readonly args?: Readonly<Record<string, ArgumentValue>>;
  /** Variables of the engine beyond those that the platform sets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly chatTemplate?: ChatTemplate;
  /** LoRA adapters that answer beside it. */
  readonly adapters?: AdaptersPlan;
  /** What only the engine's component reads. */
  readonly engineSettings?: EngineOwnSettings;
  readonly memoryPerGpu: MemoryPerGpu;
  /** Always "fits": a model is placed where its largest need in the interval is within the limit. */
  readonly verdict: MemoryVerdict;
  /** KV tokens that the engine will report for one replica. */
  readonly kvTokens: number;
  readonly totalParametersB: number;
  /** Bytes to download, GB: the files, not what an engine makes of them when it loads them. */
  readonly weightsGB: number;
  /** Volume for the model per pod: at least 1.5 × its files (M5). */
  readonly modelStorageGiB: number;
  readonly startupBudgetSeconds: number;
  /** Seconds in which a replica that leaves finishes the requests that run there. */
  readonly drainSeconds: number;
  readonly resources: PodResources;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Taint[];
  readonly hourlyUsd: number;
  readonly monthlyUsd: number;
  /** How fast a replica answers. */
  readonly speed?: SpeedPlan;
  /** Why there is no `speed`. */
  readonly noSpeed?: string;
  /** What its tokens cost; where its speed is known. */
  readonly tokenPrice?: TokenPrice;
  readonly sizing: SizingComparison | undefined;
  /** Undefined for models without GPUs and above the table's largest class. */
  readonly capacityTable: CapacityTableComparison | undefined;
  /** Remarks a reader should see: basis of the estimate, what it assumes. */
  readonly notes: readonly string[];
}

/** A model's LoRA adapters, and the room that is planned for them. */
export interface AdaptersPlan extends AdapterRoom {
  readonly list: readonly Adapter[];
  /** Of each GPU's weights: the whole room, used or not. */
  readonly gpuGiB: number;
  /** What the files of one adapter can have at most, GB: of the largest rank, on every matrix, in float32. */
  readonly fileGB: number;
  /** Volume for all of them per pod, and in the model store: at least 1.5 × their files. */
  readonly storageGiB: number;
}

/** One server process that holds several planned models. */
export interface ServerPlan {
  /** Their names; first the one whose pods they are in. */
  readonly models: readonly string[];
  /** All of them on the tightest GPU. */
  readonly memoryPerGpu: MemoryPerGpu;
  /** The largest need in their intervals together, GiB. */
  readonly mostGiB: number;
  /** Volume of each replica for all of them. */
  readonly storageGiB: number;
}

/** How the nodes of one replica reach each other, as the pods are rendered: not what the machines could do. */
export interface NodeLink {
  /** TCP goes over the machines' Ethernet. RDMA takes all devices of the nodes, and NCCL fails where it cannot use them. */
  readonly transport: "tcp" | FabricKind;
  /** Undefined where the catalogue's figure counts interfaces that plain TCP does not use. */
  readonly gbps?: number;
  /** Pods are on the network of their nodes: outside of NetworkPolicies, one on each node. */
  readonly hostNetwork: boolean;
  /** Label of nodes whose value all nodes of a replica share, and no other replica of the model. @default any nodes of the pool */
  readonly topologyLabel?: string;
  /** NetworkAttachmentDefinitions of each pod, "namespace/name", one entry for each interface beside its own. */
  readonly networks: readonly string[];
  /** Variables of NCCL or RCCL. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A model behind an OpenAI-compatible URL of somebody else. Nothing here is an estimate: its weights, machines, limits and
 * price are not ours to know.
 */
export interface ExternalModelPlan {
  /** Key of the model in the environment; also its route. */
  readonly name: string;
  /** What clients put in the `model` field of a request. */
  readonly servedName: string;
  readonly task: ModelTask;
  /** Base URL of the API, with its path. */
  readonly url: string;
  /** Name of the model there. */
  readonly modelThere: string;
  /** Path, from the server's root, on which the gateway asks whether it answers. */
  readonly healthPath: string;
  /** Name of the secret with the key that the gateway sends. @default it sends none */
  readonly secretKey?: string;
  /** Networks in CIDR form that the URL's name resolves to. @default nobody says */
  readonly networks?: readonly string[];
  /** Authorities that the server's certificate may be signed by. @default those that the gateway's image trusts */
  readonly authorities?: CertificateFile;
}

/** Certificates that the environment names as a file. */
export interface CertificateFile {
  /** As the environment names it. */
  readonly file: string;
  /** PEM. */
  readonly text: string;
}

/** A model that found no place, and how near it came. */
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
  /** The rule that keeps it out, as in `CapacityProblem.rule`. */
  readonly rule: string;
  /** The pool and layout that lack least; undefined where no layout obeys the engine's rules. */
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

/** The five-step rule beside the planner's exact figure (docs/sizing.md). */
export interface SizingComparison {
  /** What the rule starts from: see `fiveStepRule`. */
  readonly parametersB: number;
  readonly bits: number;
  readonly shapeGpuMemoryGB: number;
  readonly ruleMemoryGB: number;
  readonly ruleNodes: number;
  readonly exactNodes: number;
  readonly difference: string;
}

/** The published capacity table's row for the model's size class beside the exact figure (docs/sizing.md). */
export interface CapacityTableComparison {
  /** Size class of the row, 10^9 parameters, at 4 bits each. */
  readonly classB: number;
  readonly tableGpuMemoryGB: number;
  readonly tableGpus: number;
  /** What one replica takes on all of its GPUs, GB. */
  readonly exactGpuMemoryGB: number;
  readonly exactGpus: number;
  /** The table's own range for one request at 4 bits, a rule of thumb; not for mixtures of experts and embeddings. */
  readonly tokensPerSecond?: { readonly from: number; readonly to: number };
  readonly batchingBenefit: string;
  /** Where the exact figure differs from the table, and why. */
  readonly difference: string;
}

export interface StoragePlan {
  /** Models that go through the bucket. */
  readonly models: readonly string[];
  readonly bucket: string;
  /** Volume of the in-cluster store: at least 1.5 × the sum of its models. */
  readonly sizeGiB: number;
}

/** A reason why the plan must not be deployed. */
export interface CapacityProblem {
  /** `mandatory` forbids the deployment; `advisory` is shown and counted. */
  readonly severity: "mandatory" | "advisory";
  /** Name of the rule, as in policy results. */
  readonly rule: string;
  /** What it concerns: `models.<name>`, `pools.<name>`, `budget`. */
  readonly subject: string;
  /** Names the number that is off, what is allowed and what would fix it. May have several lines. */
  readonly message: string;
  /** What would help, known without trying. */
  readonly remedies?: readonly string[];
  /** Single changes that remove the problem and cause no other, cheapest first; the message names them too. */
  readonly fixes?: readonly Fix[];
}

/** One change of the configuration after which the planner, run again, no longer refuses. */
export interface Fix {
  /** The setting: `models.<name>.concurrency`, `pools.<name>.shape`, … */
  readonly path: string;
  readonly from: FixValue;
  /** Null: the setting is removed. */
  readonly to: FixValue;
  /** Cost of the whole environment after it, as `CostPlan.monthlyUsd`. */
  readonly monthlyUsd: number;
}

export type FixValue = string | number | true | readonly string[] | null;

export interface DeploymentPlan {
  readonly environment: string;
  readonly stage: Stage;
  readonly pools: readonly PoolPlan[];
  readonly models: readonly ModelPlan[];
  readonly unplaced: readonly UnplacedModel[];
  /** What the gateway publishes of others. */
  readonly externalModels: readonly ExternalModelPlan[];
  /** Server groups, by name. */
  readonly groups: readonly ServerGroupPlan[];
  /** How pods join the service mesh. @default there is none */
  readonly mesh?: MeshMode;
  /** Who calls models, and within which limits. */
  readonly tenants: readonly Tenant[];
  /** Whose tokens count besides API keys. @default nobody's */
  readonly tokenIssuer?: TokenIssuer;
  /** Authorities of the certificates of receivers of alerts, by the kind of receiver: PEM. @default none is named */
  readonly receiverAuthorities?: Readonly<Record<string, string>>;
  /** The same of buckets and registries that models are copied from, by `storage.buckets.<name>` and `storage.registries.<host>`. */
  readonly sourceAuthorities?: Readonly<Record<string, string>>;
  readonly storage: StoragePlan;
  readonly cost: CostPlan;
  readonly problems: readonly CapacityProblem[];
}
