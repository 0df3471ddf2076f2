/** What the traffic of a model makes of a layout: how many replicas it takes, and how many requests run in each. */
import type { ModelRequest } from "../request";
import { hasTimes } from "../service-level";
import { peakRate } from "../traffic";
import { type LevelRate, levelRate } from "./level-rate";
import type { ReplicaSpeed } from "./replica-speed";

/** More are no deployment of this configuration. */
const MOST_REPLICAS = 1000;
/** Requests of full length that a replica is planned for at most. */
const MOST_CONCURRENCY = 4096;

export interface Sizing {
  readonly rate: LevelRate;
  /** Replicas that the peak needs, none to spare; infinite where no number of them keeps the level. */
  readonly needed: number;
}

/** Whether how fast a layout is decides between layouts. */
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
  // Without traffic nobody knows of how many: the floor alone is held to the level.
  const needed = traffic === undefined ? 1 : replicasFor(peakRate(traffic), rate.requestsPerSecond);
  return { rate, needed };
}

/** Replicas that answer so many requests a second, of which each answers `ofEach`. */
export function replicasFor(requestsPerSecond: number, ofEach: number): number {
  return Math.max(1, Math.ceil(requestsPerSecond / ofEach - 1e-9));
}

/** Replicas that are planned: as the file says, else what the traffic needs, and one that may fail where availability is declared. */
export function withReplicas(model: ModelRequest, sizing: Sizing | undefined): ModelRequest {
  if (sizing === undefined || !isDerived(model, "replicas")) {
    return model;
  }
  const spare = model.serviceLevel?.availability === undefined ? 0 : 1;
  const replicas = Math.min(MOST_REPLICAS, sizing.needed + spare);
  const { scaling: _, ...fixed } = model;
  return { ...fixed, minReplicas: replicas, maxReplicas: replicas };
}

/** The replicas that the file allows do not answer the peak. */
export function isShort(model: ModelRequest, sizing: Sizing | undefined): boolean {
  return sizing !== undefined && sizing.needed > withReplicas(model, sizing).maxReplicas;
}

/** Requests at once that a replica is planned for: those that run when it is as busy as its level allows. */
export function concurrencyOf({ rate }: Sizing, most: number): number {
  return Math.max(1, Math.min(most, MOST_CONCURRENCY, Math.ceil(rate.sequences)));
}

/** Part of the time to the first token that requests may wait in the queue before another replica is asked for. (A judgement.) */
const WAITING_SHARE = 0.5;

/** How busy a replica is at the rate of its level: above that another one has to come. */
export interface BusyReplica {
  /** Requests that run. */
  readonly atOnce: number;
  /** Requests that may wait: they are gone within their part of the level's time to the first token. @default a quarter of `atOnce` */
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

/** The largest number of requests of full length that fits, by doubling and bisection; undefined where not even one does. */
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
