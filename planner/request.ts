import type { MachineShape } from "../catalog/shapes";
import type { ModelArchitecture } from "./model/architecture";
import type { ArgumentValue, ChatTemplate, EngineName, ModelLoading, ModelSource, ModelTask, Stage } from "./types";

/** One node pool that the environment allows. */
export interface PoolRequest {
  readonly name: string;
  readonly role: "system" | "gpu" | "cpu";
  /** Flexible shapes come already sized. */
  readonly shape: MachineShape;
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Price of one node; 0 for owned hardware without a figure. */
  readonly usdPerNodeHour: number;
  /** Hours that the pool runs on an average day, 0 < h ≤ 24. */
  readonly hoursPerDay: number;
  /** Models that alone may use the pool, and use no other unless they name it; everyone when empty. */
  readonly dedicatedTo: readonly string[];
  /** Labels that its pods select nodes by: all of them on every node of the pool. */
  readonly selector: Readonly<Record<string, string>>;
  /** Labels that its nodes get, besides those of their cloud. */
  readonly labels: Readonly<Record<string, string>>;
}

/** One model, its service level, and what the environment pins by hand. */
export interface ModelRequest {
  readonly name: string;
  readonly servedName: string;
  readonly engine: EngineName;
  readonly engineVersion: string;
  readonly task: ModelTask;
  readonly domain?: string;
  readonly architecture: ModelArchitecture;
  readonly source: ModelSource;
  /** The architecture is the catalogue's, and the weights come from elsewhere: they may have another format. */
  readonly configIsOfAnotherSource?: boolean;
  readonly loading: ModelLoading;
  /** Tokens of prompt and answer that one request may hold. */
  readonly contextTokens: number;
  /** Requests that one replica serves at once at full context. */
  readonly concurrency: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Names of allowed pools; every pool with a fitting role when undefined. */
  readonly pools?: readonly string[];
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
  readonly quantization?: string;
  readonly kvCacheDtype: "auto" | "bfloat16" | "fp8";
  readonly gpuMemoryUtilization?: number;
  readonly maxNumSeqs?: number;
  /** Flags of the engine, by name without dashes; already checked. */
  readonly args?: Readonly<Record<string, ArgumentValue>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly chatTemplate?: ChatTemplate;
  /** Remarks for whoever reads the plan. */
  readonly notes?: readonly string[];
}

/** Everything the planner decides from: plain data, already validated. */
export interface PlanRequest {
  readonly environment: string;
  readonly stage: Stage;
  readonly pools: readonly PoolRequest[];
  readonly models: readonly ModelRequest[];
  readonly storage: {
    readonly bucket: string;
    /** Size asked for; computed from the models when undefined. */
    readonly sizeGiB?: number;
    /** Link to Hugging Face and the Ollama registry. */
    readonly registryGbps: number;
    /** Link between the model store and a node. */
    readonly storeGbps: number;
  };
  readonly monthlyBudgetUsd?: number;
}
