/** How a model's replicas follow demand: decided before anything runs, so that components only render it. */
import type { ModelRequest } from "./request";

/** What replicas may follow. */
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

/** Requests that wait per replica; percent; milliseconds; percent; percent; tasks. */
export const SIGNAL_UNITS: Readonly<Record<ScalingSignalName, string>> = {
  queue: "requests per replica",
  kvCache: "percent",
  latency: "ms",
  gpuMemory: "percent",
  gpuUtilization: "percent",
  cpuQueue: "tasks",
};

export interface SignalPlan {
  readonly on: ScalingSignalName;
  /** In the signal's unit. */
  readonly target: number;
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
  /** Seconds from the start of a pod until it answers, as expected: no margin. */
  readonly loadSeconds: number;
  /** Seconds until the pool has another node. */
  readonly nodeSeconds: number;
}

const SCRAPE_SECONDS = 15;
const POLL_SECONDS = 15;

/** Undefined where nothing scales the model. */
export function planScaling(
  model: Pick<ModelRequest, "minReplicas" | "maxReplicas" | "scaling" | "concurrency">,
  { loadSeconds, nodeSeconds }: ScalingPlace,
): ScalingPlan | undefined {
  const { minReplicas, maxReplicas, scaling } = model;
  if (minReplicas === maxReplicas || scaling === undefined) {
    return undefined;
  }
  const { by, on = ["queue"], targets, schedule, spareReplicas } = scaling;
  const parts = { scrape: SCRAPE_SECONDS, poll: POLL_SECONDS, node: nodeSeconds, load: loadSeconds };
  const total = Object.values(parts).reduce((sum, seconds) => sum + seconds, 0);
  const idleSeconds = scaling.idleSeconds ?? Math.max(600, 2 * total);
  return {
    by,
    min: minReplicas,
    max: maxReplicas,
    signals: on.map((signal) => ({ on: signal, target: targets[signal] ?? defaultTarget(signal, model) })),
    pollSeconds: POLL_SECONDS,
    scaleDownWindowSeconds: Math.max(300, total),
    fallbackReplicas: Math.max(1, minReplicas),
    schedule,
    spareReplicas,
    ...(minReplicas === 0 && { idleSeconds }),
    coldStartSeconds: total,
    spikeToServed: { ...parts, total },
  };
}

function defaultTarget(signal: ScalingSignalName, { concurrency }: Pick<ModelRequest, "concurrency">): number {
  switch (signal) {
    case "queue":
      return Math.max(1, Math.ceil(concurrency / 4));
    case "latency":
      return 80;
    case "cpuQueue":
      return 100;
    default:
      return 75;
  }
}
