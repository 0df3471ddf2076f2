/** Replicas and running requests of a layout under a model's traffic. */
import type { ModelRequest } from "../request";
import { hasTimes } from "../service-level";
import { peakRate } from "../traffic";
import { type LevelRate, levelRate } from "./level-rate";
import type { ReplicaSpeed } from "./replica-speed";

/** More is not this configuration's scale. */
const MOST_REPLICAS = 1000;
/** Limit of planned requests per replica. */
const MOST_CONCURRENCY = 4096;

export interface Sizing {
  readonly rate: LevelRate;
  /** For the peak, without spares; infinite where none suffices. */
  readonly needed: number;
}

/** Whether speed decides between layouts. */
export function isSized({ traffic, serviceLevel = {} }: Pick<ModelRequest, "traffic" | "serviceLevel">): boolean {
  return traffic !== undefined || hasTimes(serviceLevel);
}

export function sizingOf(model: ModelRequest, speed: ReplicaSpeed): Sizing {
  const closed = levelRate(speed, model.serviceLevel);
  const { traffic, confirmedShare = 1 } = model;
  const rate = { ...closed, requestsPerSecond: closed.requestsPerSecond * confirmedShare };
  if (rate.requestsPerSecond === 0) {
    return { rate, needed: Number.POSITIVE_INFINITY };
  }
  // Without traffic only the floor is compared with the level.
  const needed = traffic === undefined ? 1 : replicasFor(peakRate(traffic), rate.requestsPerSecond);
  return { rate, needed };
}

/** @param ofEach requests a second of each replica. */
export function replicasFor(requestsPerSecond: number, ofEach: number): number {
  return Math.max(1, Math.ceil(requestsPerSecond / ofEach - 1e-9));
}

/** The file's number, else what traffic needs, plus one for a promised availability. */
export function withReplicas(model: ModelRequest, sizing: Sizing | undefined): ModelRequest {
  if (sizing === undefined || !isDerived(model, "replicas")) {
    return model;
  }
  const spare = model.serviceLevel?.availability === undefined ? 0 : 1;
  const replicas = Math.min(MOST_REPLICAS, sizing.needed + spare);
  const { scaling: _, ...fixed } = model;
  return { ...fixed, minReplicas: replicas, maxReplicas: replicas };
}

/** The allowed replicas do not answer the peak. */
export function isShort(model: ModelRequest, sizing: Sizing | undefined): boolean {
  return sizing !== undefined && sizing.needed > withReplicas(model, sizing).maxReplicas;
}

/** Planned concurrency: running requests at the level's limit. */
export function concurrencyOf({ rate }: Sizing, most: number): number {
  return Math.max(1, Math.min(most, MOST_CONCURRENCY, Math.ceil(rate.sequences)));
}

/** Share of the time to first token that requests may queue before scale-up (a judgement). */
const WAITING_SHARE = 0.5;

/** Load of a replica at its level's rate: above it, another must start. */
export interface BusyReplica {
  /** Running requests. */
  readonly atOnce: number;
  /**
   * Queued requests that clear within their share of the time to first token. @default a quarter of
   * `atOnce`
   */
  readonly waiting: number;
}

/** Undefined without traffic. */
export function busyReplica(model: ModelRequest, sizing: Sizing | undefined): BusyReplica | undefined {
  const { traffic, confirmedShare = 1, serviceLevel } = model;
  if (traffic === undefined || sizing === undefined) {
    return undefined;
  }
  const { sequences, requestsPerSecond } = sizing.rate;
  const atOnce = Math.max(1, Math.round(sequences * confirmedShare));
  const ttftSeconds = (serviceLevel?.ttftMs ?? Number.POSITIVE_INFINITY) / 1000;
  const inTime = Math.floor(WAITING_SHARE * ttftSeconds * requestsPerSecond);
  return { atOnce, waiting: Math.max(1, Math.min(Math.ceil(atOnce / 4), inTime)) };
}

export function isDerived(
  { derived = [] }: Pick<ModelRequest, "derived">,
  setting: "replicas" | "concurrency",
): boolean {
  return derived.includes(setting);
}

/**
 * Largest fitting number of requests of full length, by doubling and bisection; undefined where one
 * does not fit.
 */
export function mostConcurrency(fits: (concurrency: number) => boolean): number | undefined {
  if (!fits(1)) {
    return undefined;
  }
  let [low, high] = [1, 2];
  while (high <= MOST_CONCURRENCY && fits(high)) {
    [low, high] = [high, 2 * high];
  }
  while (high - low > Math.max(1, low / 32)) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = fits(middle) ? [middle, high] : [low, middle];
  }
  return low;
}
