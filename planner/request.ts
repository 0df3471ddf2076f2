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
import type { StoreElsewhere } from "./storage-plan";
import type { NameLimits, Tenant, TokenIssuer } from "./tenants";
import type { DerivedSetting, Traffic } from "./traffic";
import type { ExternalModelPlan, NumaPolicy, Revision, Stage, Taint } from "./types";
import type { UserPod } from "./user-pod";

export interface PoolRequest {
  readonly name: string;
  readonly role: "system" | "gpu" | "cpu";
  /** Sized for flexible shapes; slices for partitioned GPUs (`slices.ts`). */
  readonly shape: MachineShape;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** One node; 0 for owned hardware without a figure. */
  readonly usdPerNodeHour: number;
  /** Why it differs from the list price. @default list price, or the environment's own */
  readonly priceNote?: string;
  /** Hours a day until the user stops the nodes, 0 < h ≤ 24; documented, not counted. */
  readonly hoursPerDay: number;
  /** Provisioned by this or another stack of the same pools. @default false */
  readonly nodesMadeHere?: boolean;
  /** Set by the environment for provisioned nodes. */
  readonly bootVolumeGiB?: number;
  /** Only these models may use the pool, and no other unless named; empty: all. */
  readonly dedicatedTo: readonly string[];
  /** Node labels that pods select by, on every node of the pool. */
  readonly selector: Readonly<Record<string, string>>;
  /** Node labels besides the cloud's. */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints besides the machine's: of the purchase type, or of existing nodes. @default none */
  readonly ownTaints?: readonly Taint[];
  /** Pods' access to RDMA; undefined for TCP. */
  readonly rdmaAccess?: FabricAccess;
  /** Node label for its RDMA network block. @default unknown */
  readonly rdmaTopologyLabel?: string;
  /** GPU slices of its nodes. @default whole GPUs */
  readonly sharing?: GpuSharing;
  /** The machine before partitioning. @default shape */
  readonly wholeShape?: MachineShape;
  /** Pods' files are on local disks. @default false */
  readonly localDisks?: boolean;
  /** NUMA policy set by the environment. */
  readonly numa?: NumaPolicy;
  /** Node memory is encrypted against the host. @default false */
  readonly confidential?: boolean;
  /** Zones of its nodes. @default 1 */
  readonly zones?: number;
  /** Their node labels (`topology.kubernetes.io/zone`). @default unknown */
  readonly zoneNames?: readonly string[];
  /** The pool's key that states its zones. @default unknown */
  readonly zoneSetting?: ZoneSetting;
  /** Limits of nodes and zones in the file. @default none */
  readonly most?: { readonly nodes: number; readonly zones: number };
  /** Set by the environment. @default the catalogue's */
  readonly uptime?: Partial<Uptime>;
}

/** A pool's key for zones: of provisioned nodes on AWS, on OCI, and of all others. */
export type ZoneSetting = "zones" | "availabilityDomains" | "uptime.zones";

export const MOST_NODES = 1000;

export interface ModelRequest extends ServedModel {
  readonly engine: EngineName;
  readonly domain?: string;
  readonly revisionOf?: Revision;
  /** In the model store, where not `<domain>/<name>`. */
  readonly storeFolder?: string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** @default no autoscaling */
  readonly scaling?: ScalingRequest;
  readonly serviceLevel?: ServiceLevel;
  /** @default unknown */
  readonly traffic?: Traffic;
  /** With this engine version, on any card. @default none */
  readonly measurements?: readonly SpeedMeasurement[];
  /** Settings derived from traffic; the request holds values for unknown speed. @default none */
  readonly derived?: readonly DerivedSetting[];
  /** Fraction of the closed-form rate that the simulation confirmed. @default 1 */
  readonly confirmedShare?: number;
  /** Its replicas are nodes of a server group. @default no */
  readonly node?: NodePlan;
  /** Platform sidecars in each pod. @default none */
  readonly sidecars?: readonly SidecarResources[];
  /** User additions to its pods; their sidecars are in `sidecars`. @default none */
  readonly pod?: UserPod;
  /** Separates consumers' prompts in the prefix cache. @default no */
  readonly prefixCaches?: PrefixCaches;
  /** Non-sharing consumers may name images by own keys in a common cache, unsalted. @default no */
  readonly namedImages?: boolean;
  /** Consumers restricted to some of its names. @default none */
  readonly nameLimits?: NameLimits;
  /** Model whose server it joins, with its replicas, pools and concurrency. @default own server */
  readonly serverOf?: string;
  /** Allowed pools; undefined: all with a fitting role. */
  readonly pools?: readonly string[];
  readonly notes?: readonly string[];
}

/** Everything the planner decides from: plain, validated data. */
export interface PlanRequest {
  readonly environment: string;
  readonly stage: Stage;
  readonly pools: readonly PoolRequest[];
  readonly models: readonly ModelRequest[];
  /** Hosted models: nothing to decide. @default none */
  readonly externalModels?: readonly ExternalModelPlan[];
  /** @default none */
  readonly groups?: readonly ServerGroupPlan[];
  /** Takes node resources. @default none */
  readonly mesh?: MeshMode;
  /** Callers: nothing to decide. @default none */
  readonly tenants?: readonly Tenant[];
  /** Accepted tokens besides keys. @default none */
  readonly tokenIssuer?: TokenIssuer;
  /** Carried by the plan only. @default none */
  readonly receiverAuthorities?: Readonly<Record<string, string>>;
  /** The same of buckets and registries that models are copied from, by `storage.buckets.<name>` and `storage.registries.<host>`. */
  readonly sourceAuthorities?: Readonly<Record<string, string>>;
  readonly storage: {
    readonly bucket: string;
    /** @default MinIO in the cluster */
    readonly backend?: StoreElsewhere;
    /** Set size; undefined: computed from the models. */
    readonly sizeGiB?: number;
    /** Cache of weights on each node that serves models with `loading: "cache"`. @default none */
    readonly nodeCacheGiB?: number;
    /** Link to Hugging Face and the Ollama registry. */
    readonly registryGbps: number;
    /** Link between model store and node. */
    readonly storeGbps: number;
  };
  /** Drain time of a stopping replica (`request-times.ts`). */
  readonly drainSeconds: number;
  readonly monthlyBudgetUsd?: number;
  /** Prices of external APIs that override the catalogue. @default none */
  readonly apiPrices?: readonly StatedPrice[];
  /** Cloud resources other than machines. @default unknown, not priced */
  readonly billing?: CloudBilling;
}
