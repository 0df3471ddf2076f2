import { type Lane, QUEUE_PREFIX } from "./lanes";

/** Redis keys of a lane's turns. */
export interface TurnKeys {
  /** The lane's current place. */
  readonly clock: string;
  /** Sorted set: last place per owner. */
  readonly owners: string;
  /** Sorted set of an owner's tasks with a slot, by expiry. */
  readonly taken: (owner: string) => string;
  /** Sorted set of an owner's tasks that wait for a slot, by place. */
  readonly waiting: (owner: string) => string;
}

/** Inference keys keep the names from before other lanes had turns. */
export function turnKeys(lane: Lane): TurnKeys {
  const prefix = lane === "inference" ? `${QUEUE_PREFIX}:answers` : `${QUEUE_PREFIX}:turns:${lane}`;
  return {
    clock: `${prefix}:fair:clock`,
    owners: `${prefix}:fair:owners`,
    taken: (owner) => `${prefix}:slots:taken:${owner}`,
    waiting: (owner) => `${prefix}:slots:waiting:${owner}`,
  };
}
