/** Why a model was unloaded: request, worker stop, room for another, or idle time. */
export type UnloadReason = "request" | "stop" | "room" | "idle";

/** Automatic actions and waits of the fleet, for logs and counters. */
export type FleetEvent =
  | {
      readonly type: "evicted";
      readonly worker: string;
      readonly model: string;
      readonly from: "memory" | "disk";
      readonly bytes: number;
      readonly madeRoomFor: string;
    }
  | { readonly type: "loaded"; readonly worker: string; readonly model: string; readonly memoryBytes?: number }
  | { readonly type: "unloaded"; readonly worker: string; readonly model: string; readonly reason: UnloadReason }
  /** Forgotten: loaded when the worker stopped, but no longer on disk. */
  | { readonly type: "purged" | "forgotten"; readonly worker: string; readonly model: string }
  /** Idle for its time, but the engine did not unload it. */
  | { readonly type: "stays"; readonly worker: string; readonly model: string; readonly problem: string }
  | { readonly type: "scaled"; readonly worker: string; readonly target: string; readonly replicas: number }
  | { readonly type: "phase"; readonly worker: string; readonly phase: string }
  | { readonly type: "unreachable"; readonly worker: string; readonly problem: string };
