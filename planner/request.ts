import type { StatedPrice } from "../catalog/api-prices";
import type { FabricAccess } from "../catalog/fabrics";
import type { GpuSharing } from "../catalog/gpu-sharing";
import type { MachineShape } from "../catalog/shapes";
import type { Uptime } from "../catalog/uptime";
import type { EngineName, SidecarResources } from "../engines";
import type { ServedModel } from "../engines/served-model";
import type { CloudBilling } from "./cloud-services";
import type { NodePlan, ServerGroupPlan } from "./inference-nodes";
import type { MeshMode } from "./mesh-reserve";
import type { PrefixCaches } from "./prefix-caches";
import type { ScalingRequest } from "./scaling";
import type { ServiceLevel } from "./service-level";
import type { SpeedMeasurement } from "./speed/measurement";
import type { NameLimits, Tenant, TokenIssuer } from "./tenants";
import type { DerivedSetting, Traffic } from "./traffic";
import type { ExternalModelPlan, NumaPolicy, Revision, Stage, Taint } from "./types";
import type { UserPod } from "./user-pod";

/** One node pool that the environment allows. */
export interface PoolRequest {
  readonly name: string;
  readonly role: "system" | "gpu" | "cpu";
  /** Flexible shapes come already sized, parted GPUs as slices (`slices.ts`). */
  readonly shape: MachineShape;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Price of one node; 0 for owned hardware without a figure. */
  readonly usdPerNodeHour: number;
  /** Why that is not the machine's list price. @default it is, or the environment's own */
  readonly priceNote?: string;
  /** Hours a day after which somebody means to stop the pool's nodes, 0 < h ≤ 24; said, not counted. */
  readonly hoursPerDay: number;
  /** This stack, or another one of the same pools, makes its nodes. @default false */
  readonly nodesMadeHere?: boolean;
  /** Disk of each node that is made here, where the environment says so. */
  readonly bootVolumeGiB?: number;
  /** Models that alone may use the pool, and use no other unless they name it; everyone when empty. */
  readonly dedicatedTo: readonly string[];
  /** Labels that its pods select nodes by: all of them on every node of the pool. */
  readonly selector: Readonly<Record<string, string>>;
  /** Labels that its nodes get, besides those of their cloud. */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints of its nodes besides those of their machine: of how they are bought, or of whoever made them. @default none */
  readonly ownTaints?: readonly Taint[];
  /** How pods reach the RDMA network of its machines; undefined where they talk TCP. */
  readonly rdmaAccess?: FabricAccess;
  /** Label of its nodes that names the block of the RDMA network that they are in. @default nobody says */
  readonly rdmaTopologyLabel?: string;
  /** Parts of GPUs that its nodes offer. @default whole ones */
  readonly sharing?: GpuSharing;
  /** The machine before its GPUs are parted. @default shape */
  readonly wholeShape?: MachineShape;
  /** Whether its nodes keep pods' files on their local disks. @default false */
  readonly localDisks?: boolean;
  /** How kubelets place pods on NUMA nodes, where the environment says so. */
  readonly numa?: NumaPolicy;
  /** Whether memory of its nodes is encrypted against their host. @default false */
  readonly confidential?: boolean;
  /** Zones that its nodes may be in. @default 1 */
  readonly zones?: number;
  /** Their names, as nodes are labelled with them (`topology.kubernetes.io/zone`). @default not known */
  readonly zoneNames?: readonly string[];
  /** Key of the pool that states its zones. @default not known */
  readonly zoneSetting?: ZoneSetting;
  /** Most nodes, and zones that they may be in, that the file may state. @default no limit */
  readonly most?: { readonly nodes: number; readonly zones: number };
  /** How often its nodes are there, where the environment says so. @default the catalogue's */
  readonly uptime?: Partial<Uptime>;
}

/** Keys of a pool that may state its zones: of nodes created on AWS, on OCI, and of all others. */
export type ZoneSetting = "zones" | "availabilityDomains" | "uptime.zones";

/** As many nodes as a pool of the configuration may have. */
export const MOST_NODES = 1000;

/** One model, and where it may run. */
export interface ModelRequest extends ServedModel {
  readonly engine: EngineName;
  readonly domain?: string;
  readonly revisionOf?: Revision;
  /** In the model store, where that is not `<domain>/<name>`. */
  readonly storeFolder?: string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** How its replicas follow demand. @default nothing scales them */
  readonly scaling?: ScalingRequest;
  readonly serviceLevel?: ServiceLevel;
  /** What clients ask of it. @default nobody says */
  readonly traffic?: Traffic;
  /** What was measured of it with this version of its engine, on whatever card. @default nobody measured */
  readonly measurements?: readonly SpeedMeasurement[];
  /** Settings that are to follow from its traffic; the request holds what counts where no speed is known. @default none */
  readonly derived?: readonly DerivedSetting[];
  /** Share of the rate by the closed form that a simulation of its traffic confirmed, 0 to 1. @default 1 */
  readonly confirmedShare?: number;
  /** Its replicas are nodes of a server group. @default they are not */
  readonly node?: NodePlan;
  /** What the platform runs beside the engine in each of its pods. @default nothing */
  readonly sidecars?: readonly SidecarResources[];
  /** What the user adds to its pods; its sidecars are among `sidecars`. @default nothing */
  readonly pod?: UserPod;
  /** Its consumers' prompts are kept apart in the engine's prefix cache. @default they are not */
  readonly prefixCaches?: PrefixCaches;
  /** Consumers that do not share may name images by keys of their own in a cache of all, and no salt is written. @default they may not */
  readonly namedImages?: boolean;
  /** Consumers that may call it by some of its names alone, with these names. @default by any */
  readonly nameLimits?: NameLimits;
  /** Model whose server it joins: that one's replicas, pools and concurrency hold for both. @default a server of its own */
  readonly serverOf?: string;
  /** Names of allowed pools; every pool with a fitting role when undefined. */
  readonly pools?: readonly string[];
  /** Remarks for whoever reads the plan. */
  readonly notes?: readonly string[];
}

/** Everything the planner decides from: plain data, already validated. */
export interface PlanRequest {
  readonly environment: string;
  readonly stage: Stage;
  readonly pools: readonly PoolRequest[];
  readonly models: readonly ModelRequest[];
  /** Models that run elsewhere: there is nothing to decide of them. @default none */
  readonly externalModels?: readonly ExternalModelPlan[];
  /** @default there are none */
  readonly groups?: readonly ServerGroupPlan[];
  /** What connects pods, and takes room of nodes. @default nothing does */
  readonly mesh?: MeshMode;
  /** Who calls models: nothing to decide of them either. @default nobody is named */
  readonly tenants?: readonly Tenant[];
  /** Whose tokens count besides keys. @default nobody's */
  readonly tokenIssuer?: TokenIssuer;
  /** Nothing to decide of them: the plan carries them. @default none */
  readonly receiverAuthorities?: Readonly<Record<string, string>>;
  /** The same of buckets and registries that models are copied from, by `storage.buckets.<name>` and `storage.registries.<host>`. */
  readonly sourceAuthorities?: Readonly<Record<string, string>>;
  readonly storage: {
    readonly bucket: string;
    /** Size asked for; computed from the models when undefined. */
    readonly sizeGiB?: number;
    /** Link to Hugging Face and the Ollama registry. */
    readonly registryGbps: number;
    /** Link between the model store and a node. */
    readonly storeGbps: number;
  };
  /** Seconds in which a replica that leaves finishes its requests (`request-times.ts`). */
  readonly drainSeconds: number;
  readonly monthlyBudgetUsd?: number;
  /** What APIs of others ask, where the environment knows better than the catalogue. @default the catalogue's */
  readonly apiPrices?: readonly StatedPrice[];
  /** What the environment makes in a cloud besides machines. @default nobody says: it is not priced */
  readonly billing?: CloudBilling;
}
