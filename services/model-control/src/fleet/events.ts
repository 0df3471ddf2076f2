/** Why a model left memory: it was asked for, its worker stops, another needed the room, or nobody had used it for its time. */
export type UnloadReason = "request" | "stop" | "room" | "idle";

/** What the fleet did by itself, or waits for: for logs and counters. */
export type FleetEvent =
  | {
      readonly type: "evicted";
      readonly worker: string;
      readonly model: string;
      readonly from: "memory" | "disk";
      readonly bytes: number;
      /** The model that needed the room. */
      readonly madeRoomFor: string;
    }
  | { readonly type: "loaded"; readonly worker: string; readonly model: string; readonly memoryBytes?: number }
  | { readonly type: "unloaded"; readonly worker: string; readonly model: string; readonly reason: UnloadReason }
  /** Forgotten: it was loaded when the worker stopped, and is not there any more. */
  | { readonly type: "purged" | "forgotten"; readonly worker: string; readonly model: string }
  /** Nobody had used it for its time, and the engine did not let it go. */
  | { readonly type: "stays"; readonly worker: string; readonly model: string; readonly problem: string }
  | { readonly type: "scaled"; readonly worker: string; readonly target: string; readonly replicas: number }
  | { readonly type: "phase"; readonly worker: string; readonly phase: string }
  | { readonly type: "unreachable"; readonly worker: string; readonly problem: string };
