import type { SERVICE_LEVEL } from "../../names/rules";
import type { AvailabilityPlan } from "../availability/spread";
import type { Layout } from "../layouts";
import type { SpeedAnswer } from "../level/replica-speed";
import type { Sizing } from "../level/sizing";
import type { MemoryEstimate } from "../memory/types";
import type { PodResources } from "../types";

export interface Candidate {
  readonly pool: string;
  readonly layout: Layout;
  /** All models of the server. */
  readonly estimate: MemoryEstimate;
  /** The host, then its guests. */
  readonly each: readonly MemoryEstimate[];
  readonly resources: PodResources;
  /** Consequences of its cards. */
  readonly notes: readonly string[];
  /** Planned requests of full length per replica. */
  readonly concurrency: number;
  /** Limit on concurrent requests set by traffic or memory. @default the file's or the engine's */
  readonly maxNumSeqs?: number;
  /** Of the host, where models share a server. */
  readonly speed: SpeedAnswer;
  /** With traffic or a level, and a known speed. */
  readonly sizing?: Sizing;
  /** With a promise. */
  readonly availability?: AvailabilityPlan;
  /** Why a smaller layout that fits was not taken. */
  readonly why?: string;
}

/** The best attempt on a pool that cannot run the model, and what it lacks. */
export interface Refusal {
  readonly pool: string;
  /** Undefined when no layout obeys the rules. */
  readonly layout?: Layout;
  /** GiB that the tightest GPU lacks for a certain fit. */
  readonly missingPerGpuGiB?: number;
  readonly estimate?: MemoryEstimate;
  /** Each model of the server. */
  readonly each?: readonly MemoryEstimate[];
  readonly reason: string;
  /** A fix known without trying. */
  readonly remedy?: string;
  /** It fits, but support by the engine's release is unknown. */
  readonly isUnread?: true;
  /** The broken rule. @default the model does not fit */
  readonly rule?: typeof SERVICE_LEVEL;
  /** Factor by which its shortest times exceed the level; only with that rule. */
  readonly tooSlow?: number;
}

export type Fit = { readonly candidate: Candidate } | { readonly refusal: Refusal };
