import { type Lane, QUEUE_PREFIX } from "./lanes";

/** Where the turns of a lane's owners are, in Redis. */
export interface TurnKeys {
  /** How far the lane is. */
  readonly clock: string;
  /** Sorted set: how far each owner is. */
  readonly owners: string;
  /** Sorted set of an owner's tasks that hold a slot, by the time until when they may. */
  readonly taken: (owner: string) => string;
  /** Sorted set of an owner's tasks that wait for one of them to end, by their places. */
  readonly waiting: (owner: string) => string;
}

/** Those of answers keep the names that they had before other lanes had turns. */
export function turnKeys(lane: Lane): TurnKeys {
  const prefix = lane === "inference" ? `${QUEUE_PREFIX}:answers` : `${QUEUE_PREFIX}:turns:${lane}`;
  return {
    clock: `${prefix}:fair:clock`,
    owners: `${prefix}:fair:owners`,
    taken: (owner) => `${prefix}:slots:taken:${owner}`,
    waiting: (owner) => `${prefix}:slots:waiting:${owner}`,
  };
}
