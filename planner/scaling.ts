/** How a model's replicas follow demand: decided before anything runs, so that components only render it. */
import type { BusyReplica } from "./level/sizing";
import type { ModelRequest } from "./request";
import { queueIsAtGateway, usualSignals } from "./scaling-signals";

/** What replicas may follow: requests per replica, percent, ms of a whole request, percent, percent, tasks. */
export const SCALING_SIGNALS = ["queue", "kvCache", "latency", "gpuMemory", "gpuUtilization", "cpuQueue"] as const;
export type ScalingSignalName = (typeof SCALING_SIGNALS)[number];

/** KEDA, which the platform installs, or a HorizontalPodAutoscaler on an adapter that the cluster has. */
export const AUTOSCALERS = ["keda", "hpa"] as const;
export type Autoscaler = (typeof AUTOSCALERS)[number];

/** Replicas that run at least between two times, whatever the demand. */
export interface ScheduledReplicas {
  /** Cron expressions of five fields. */
  readonly from: string;
  readonly to: string;
  /** IANA name. */
  readonly timezone: string;
  readonly replicas: number;
}

/** What the environment says of it. */
export interface ScalingRequest {
  readonly by: Autoscaler;
  /** @default those of `queue` and `kvCache` that its engine reports */
  readonly on?: readonly ScalingSignalName[];
  /** By signal, in its unit. @default the planner's */
  readonly targets: Readonly<Partial<Record<ScalingSignalName, number>>>;
  readonly schedule: readonly ScheduledReplicas[];
  /** Replicas for which a node is kept ready beyond those that run. */
  readonly spareReplicas: number;
  /** Seconds without requests before the last replica goes. @default from its cold start */
  readonly idleSeconds?: number;
}

/** Of models whose replicas may change, and that say nothing else. */
export const SCALED_BY_DEFAULT: ScalingRequest = { by: "keda", targets: {}, schedule: [], spareReplicas: 0 };

export interface SignalPlan {
  readonly on: ScalingSignalName;
  /** In the signal's unit. */
  readonly target: number;
  /** The gateway counts it: requests under way there, those that wait and those that are answered. @default whoever it is of does */
  readonly at?: "gateway";
}

/** Seconds from a spike of demand until a further replica answers, by what they are spent on. */
export interface SpikeToServed {
  /** Until Prometheus has seen it. */
  readonly scrape: number;
  /** Until the autoscaler has asked. */
  readonly poll: number;
  /** Until there is a node. 0 where one has room. */
  readonly node: number;
  /** Until the image is there, the weights are loaded, and the engine answers. */
  readonly load: number;
  readonly total: number;
}

/** How the replicas of one model are scaled. */
export interface ScalingPlan {
  readonly by: Autoscaler;
  /** Replicas; 0: the model sleeps while nobody asks for it. */
  readonly min: number;
  readonly max: number;
  readonly signals: readonly SignalPlan[];
  /** Requests that run in a replica when it is as busy as its service level allows. Only with traffic; else its concurrency. */
  readonly atOnce?: number;
  /** Seconds between two looks of the autoscaler at the signals. */
  readonly pollSeconds: number;
  /** Seconds over which the largest recommendation counts before replicas go. */
  readonly scaleDownWindowSeconds: number;
  /** Replicas that run while the signals cannot be read, unless more do. */
  readonly fallbackReplicas: number;
  readonly schedule: readonly ScheduledReplicas[];
  readonly spareReplicas: number;
  /** Seconds without requests before the last replica goes; only where `min` is 0. */
  readonly idleSeconds?: number;
  /** Seconds from the request that wakes it to its first answer, with no node and no replica. */
  readonly coldStartSeconds: number;
  readonly spikeToServed: SpikeToServed;
}

/** What is known of a model's place when its scaling is planned. */
export interface ScalingPlace {
  /** Seconds from the start of a pod until it answers, as expected: no margin. The image is there. */
  readonly loadSeconds: number;
  /** Seconds until a node has the image. */
  readonly pullSeconds: number;
  /** Seconds until the pool has another node. */
  readonly nodeSeconds: number;
  /** Nodes that run already have room for a further replica. */
  readonly hasRoom: boolean;
  /** Such a node has the image. */
  readonly hasImage: boolean;
}

/** Seconds between two looks of Prometheus at a pod: of what replicas follow, and of the gateway. */
export const SCRAPE_SECONDS = 15;

/** Seconds between two looks of KEDA, and of the controller of HorizontalPodAutoscalers (its default), at the signals. */
const POLL_SECONDS = 15;

/**
 * Seconds over which the largest recommendation counts before replicas go. At least a new replica's way: what goes sooner may
 * be missed for longer than it was saved. Never less than HorizontalPodAutoscalers take by themselves, never more than they
 * accept (`stabilizationWindowSeconds` of autoscaling/v2).
 */
const DOWN_WINDOW = { least: 300, most: 3600 } as const;

/**
 * Seconds without requests before a model sleeps: while it wakes, its GPUs are paid and answer nobody. At ten times the way
 * back that is a tenth of the time that it is awake. (A judgement, no measurement.)
 */
const IDLE = { coldStarts: 10, least: 900, most: 14_400 } as const;

/** Replicas that a deployment starts: one of a model that sleeps too, so that it was seen to answer before it may. */
export function firstReplicas({ minReplicas }: { readonly minReplicas: number }): number {
  return Math.max(1, minReplicas);
}

/**
 * Undefined where nothing scales the model.
 *
 * @param busy a replica at its service level, where its traffic says.
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
    // What always runs is paid for. A signal that nobody can read is no reason to buy more, and none to end what runs besides.
    fallbackReplicas: firstReplicas(model),
    schedule,
    spareReplicas,
    ...(minReplicas === 0 && { idleSeconds: scaling.idleSeconds ?? usualIdleSeconds(coldStartSeconds) }),
    coldStartSeconds,
    spikeToServed,
  };
}

/** Each part at its longest, in whole seconds, so that the parts are the total. */
function wayOfAReplica({ loadSeconds, pullSeconds, nodeSeconds, hasRoom, hasImage }: ScalingPlace): SpikeToServed {
  const parts = {
    scrape: SCRAPE_SECONDS,
    poll: POLL_SECONDS,
    node: hasRoom ? 0 : Math.ceil(nodeSeconds),
    load: Math.ceil(loadSeconds + (hasRoom && hasImage ? 0 : pullSeconds)),
  };
  return { ...parts, total: parts.scrape + parts.poll + parts.node + parts.load };
}

/** A model that sleeps before it has come back would never answer anybody. */
function usualIdleSeconds(coldStartSeconds: number): number {
  return Math.max(coldStartSeconds, clamp(IDLE.coldStarts * coldStartSeconds, IDLE));
}

function clamp(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(most, Math.max(least, value));
}

/**
 * What a signal is kept at where nobody says.
 *
 * - `queue`: a quarter of what a replica answers at once waits no longer than about a quarter of an answer. At the gateway, where
 *   those that are answered are counted too: as many as a replica answers at once, so that the next one would wait. With traffic, as
 *   many as a replica runs within its service level, and as wait no longer than its time to the first token allows.
 * - `latency`: nobody knows how long answers are, so that configurations must say it; 80 is the figure of the source documents.
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
