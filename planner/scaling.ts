/** Autoscaling decisions, made before anything runs, so that components only render them. */
import type { BusyReplica } from "./level/sizing";
import type { ModelRequest } from "./request";
import { queueIsAtGateway, usualSignals } from "./scaling-signals";

/** Units: requests per replica, percent, ms of a whole request, percent, percent, tasks. */
export const SCALING_SIGNALS = ["queue", "kvCache", "latency", "gpuMemory", "gpuUtilization", "cpuQueue"] as const;
export type ScalingSignalName = (typeof SCALING_SIGNALS)[number];

/** The platform's KEDA, or a HorizontalPodAutoscaler on the cluster's metrics adapter. */
export const AUTOSCALERS = ["keda", "hpa"] as const;
export type Autoscaler = (typeof AUTOSCALERS)[number];

/** Minimum replicas between two times. */
export interface ScheduledReplicas {
  /** Cron expressions of five fields. */
  readonly from: string;
  readonly to: string;
  /** IANA name. */
  readonly timezone: string;
  readonly replicas: number;
}

/** From the environment. */
export interface ScalingRequest {
  readonly by: Autoscaler;
  /** @default `queue` and `kvCache`, as far as its engine reports them */
  readonly on?: readonly ScalingSignalName[];
  /** By signal, in its unit. @default the planner's */
  readonly targets: Readonly<Partial<Record<ScalingSignalName, number>>>;
  readonly schedule: readonly ScheduledReplicas[];
  /** Replicas with a ready node beyond running ones. */
  readonly spareReplicas: number;
  /** Seconds without requests before scale to zero. @default from its cold start */
  readonly idleSeconds?: number;
}

/** For variable replicas without settings. */
export const SCALED_BY_DEFAULT: ScalingRequest = { by: "keda", targets: {}, schedule: [], spareReplicas: 0 };

export interface SignalPlan {
  readonly on: ScalingSignalName;
  /** In the signal's unit. */
  readonly target: number;
  /** Counted at the gateway: queued and running requests. @default at the source */
  readonly at?: "gateway";
}

/** Seconds from a demand spike to an answering replica, by cause. */
export interface SpikeToServed {
  /** Until Prometheus scrapes it. */
  readonly scrape: number;
  /** Until the autoscaler polls. */
  readonly poll: number;
  /** Until a node is ready. 0 with room. */
  readonly node: number;
  /** Image pull, weights and engine start. */
  readonly load: number;
  readonly total: number;
}

export interface ScalingPlan {
  readonly by: Autoscaler;
  /** 0: scales to zero. */
  readonly min: number;
  readonly max: number;
  readonly signals: readonly SignalPlan[];
  /** Running requests of a replica at its level's limit. With traffic; else its concurrency. */
  readonly atOnce?: number;
  /** The autoscaler's polling interval. */
  readonly pollSeconds: number;
  /** Stabilization window for scale-down. */
  readonly scaleDownWindowSeconds: number;
  /** Minimum replicas while signals are unreadable. */
  readonly fallbackReplicas: number;
  readonly schedule: readonly ScheduledReplicas[];
  readonly spareReplicas: number;
  /** Seconds without requests before scale to zero; only where `min` is 0. */
  readonly idleSeconds?: number;
  /** Seconds from the waking request to its first answer, without node or replica. */
  readonly coldStartSeconds: number;
  readonly spikeToServed: SpikeToServed;
}

export interface ScalingPlace {
  /** Expected seconds from pod start to answers, without margin, with the image present. */
  readonly loadSeconds: number;
  readonly pullSeconds: number;
  readonly nodeSeconds: number;
  /** Running nodes have room for another replica. */
  readonly hasRoom: boolean;
  /** Such a node has the image. */
  readonly hasImage: boolean;
}

/** Prometheus' interval for scaling signals and the gateway. */
export const SCRAPE_SECONDS = 15;

/** Polling interval of KEDA and of the HorizontalPodAutoscaler controller (its default). */
const POLL_SECONDS = 15;

/**
 * Stabilization window for scale-down, seconds. At least a new replica's start: what stops sooner
 * may be missed longer than it saved. Bounds: the HorizontalPodAutoscaler's default and maximum
 * (`stabilizationWindowSeconds` of autoscaling/v2).
 */
const DOWN_WINDOW = { least: 300, most: 3600 } as const;

/**
 * Seconds without requests before scale to zero: while waking, GPUs are paid and idle. At ten cold
 * starts that is a tenth of the time awake. (A judgement, no measurement.)
 */
const IDLE = { coldStarts: 10, least: 900, most: 14_400 } as const;

/** Replicas of a new deployment: one even for scale to zero, to see it answer first. */
export function firstReplicas({ minReplicas }: { readonly minReplicas: number }): number {
  return Math.max(1, minReplicas);
}

/**
 * Undefined without autoscaling.
 *
 * @param busy a replica at its service level, where traffic defines it.
 */
export function planScaling(
  model: Pick<ModelRequest, "engine" | "engineVersion" | "minReplicas" | "maxReplicas" | "scaling" | "concurrency">,
  place: ScalingPlace,
  busy?: BusyReplica,
): ScalingPlan | undefined {
  const { engine, engineVersion, minReplicas, maxReplicas, scaling } = model;
  if (minReplicas === maxReplicas || scaling === undefined) {
    return undefined;
  }
  const { by, on = usualSignals(engine, engineVersion), targets, schedule, spareReplicas } = scaling;
  const spikeToServed = wayOfAReplica(place);
  const coldStartSeconds = wayOfAReplica({ ...place, hasRoom: minReplicas === 0 && place.hasRoom }).total;
  return {
    by,
    min: minReplicas,
    max: maxReplicas,
    signals: on.map(
      (signal): SignalPlan => ({
        on: signal,
        target: targets[signal] ?? usualTarget(signal, model, busy),
        ...(signal === "queue" && queueIsAtGateway(engine) && { at: "gateway" }),
      }),
    ),
    ...(busy && { atOnce: busy.atOnce }),
    pollSeconds: POLL_SECONDS,
    scaleDownWindowSeconds: clamp(coldStartSeconds, DOWN_WINDOW),
    // Permanent replicas are paid for. Unreadable signals neither add nor stop replicas.
    fallbackReplicas: firstReplicas(model),
    schedule,
    spareReplicas,
    ...(minReplicas === 0 && { idleSeconds: scaling.idleSeconds ?? usualIdleSeconds(coldStartSeconds) }),
    coldStartSeconds,
    spikeToServed,
  };
}

/** Longest times in whole seconds, so that parts add up. */
function wayOfAReplica({ loadSeconds, pullSeconds, nodeSeconds, hasRoom, hasImage }: ScalingPlace): SpikeToServed {
  const parts = {
    scrape: SCRAPE_SECONDS,
    poll: POLL_SECONDS,
    node: hasRoom ? 0 : Math.ceil(nodeSeconds),
    load: Math.ceil(loadSeconds + (hasRoom && hasImage ? 0 : pullSeconds)),
  };
  return { ...parts, total: parts.scrape + parts.poll + parts.node + parts.load };
}

/** A model that sleeps before it is awake would never answer. */
function usualIdleSeconds(coldStartSeconds: number): number {
  return Math.max(coldStartSeconds, clamp(IDLE.coldStarts * coldStartSeconds, IDLE));
}

function clamp(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, value));
}

/**
 * Default target of a signal.
 *
 * - `queue`: a quarter of a replica's concurrency waits about a quarter of an answer. At the
 *   gateway, which also counts running requests: the concurrency, so that the next one would wait.
 *   With traffic: what a replica runs within its level, plus what may wait within its time to the
 *   first token.
 * - `latency`: depends on the length of answers, so configurations must set it; 80 is the source
 *   documents' figure.
 */
function usualTarget(
  signal: ScalingSignalName,
  { engine, concurrency }: Pick<ModelRequest, "engine" | "concurrency">,
  busy?: BusyReplica,
): number {
  switch (signal) {
    case "queue":
      return queueIsAtGateway(engine)
        ? (busy?.atOnce ?? concurrency)
        : (busy?.waiting ?? Math.max(1, Math.ceil(concurrency / 4)));
    case "kvCache":
    case "latency":
      return 80;
    case "gpuMemory":
    case "gpuUtilization":
      return 75;
    case "cpuQueue":
      return 100;
  }
}
