import type { SERVICE_LEVEL } from "../../names/rules";
import type { AvailabilityPlan } from "../availability/spread";
import type { Layout } from "../layouts";
import type { SpeedAnswer } from "../level/replica-speed";
import type { Sizing } from "../level/sizing";
import type { MemoryEstimate } from "../memory/types";
import type { PodResources } from "../types";

/** One way to run a model on a pool. */
export interface Candidate {
  readonly pool: string;
  readonly layout: Layout;
  /** Of all models of the server. */
  readonly estimate: MemoryEstimate;
  /** Of each: the host, then its guests. */
  readonly each: readonly MemoryEstimate[];
  readonly resources: PodResources;
  /** What its cards mean for the model. */
  readonly notes: readonly string[];
  /** Requests of full length that one replica is planned for. */
  readonly concurrency: number;
  /** Requests that the engine is told to run at once at most, where its traffic or its memory says; else as the file or its own limit. */
  readonly maxNumSeqs?: number;
  /** How fast a replica is; of the host, where models share it. */
  readonly speed: SpeedAnswer;
  /** Where there is traffic or a level, and the speed is known. */
  readonly sizing?: Sizing;
  /** Where availability is promised. */
  readonly availability?: AvailabilityPlan;
  /** Why it is no smaller layout that would fit as well. */
  readonly why?: string;
}

/** The best try on a pool that cannot run the model: what it would have been, and what it lacks. */
export interface Refusal {
  readonly pool: string;
  /** Undefined when no layout obeys the rules at all. */
  readonly layout?: Layout;
  /** GiB that the tightest GPU lacks to hold the model for sure. */
  readonly missingPerGpuGiB?: number;
  readonly estimate?: MemoryEstimate;
  /** Of each model of the server. */
  readonly each?: readonly MemoryEstimate[];
  /** Why, in a sentence that names the numbers. */
  readonly reason: string;
  /** What would help, where it is known without trying. */
  readonly remedy?: string;
  /** It would fit, but nobody read whether the release of its engine starts there. */
  readonly isUnread?: true;
  /** That it breaks. @default the model does not fit */
  readonly rule?: typeof SERVICE_LEVEL;
  /** How many times longer than the service level allows its shortest times are; only with that rule. */
  readonly tooSlow?: number;
}

export type Fit = { readonly candidate: Candidate } | { readonly refusal: Refusal };
