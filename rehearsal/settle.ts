import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "./cluster/api-client";
import { type ClusterState, readState } from "./cluster-state";
import { isAllReady, isStill, waitingPods, waitsForVolume } from "./readiness";
import type { Workload } from "./workloads";

/** Polling interval in milliseconds. */
export const LOOK_EVERY_MS = 200;
/** How long everything must stay ready, in milliseconds: controllers react to deletions late. */
const READY_FOR_MS = 500;
/** Same for waiting pods: longer than the scheduler's backoff. */
const WAITING_FOR_MS = 2000;
/**
 * Same for pods that wait for a volume: kube-controller-manager retries claims every 15 seconds
 * (--pvclaimbinder-sync-period).
 */
const BINDING_FOR_MS = 20_000;

/** Timeout in seconds, after which the state is used as it is. */
const LIMIT_SECONDS = 60;

export interface Settled {
  readonly state: ClusterState;
  readonly allReady: boolean;
}

/** Waits until all pods are ready or unschedulable. Returns the current state after a minute. */
export async function settle(client: ApiClient, workloads: readonly Workload[]): Promise<Settled> {
  const until = Date.now() + LIMIT_SECONDS * 1000;
  const rest = new Rest(workloads);
  for (;;) {
    const state = await readState(client);
    if (rest.isReached(state) || Date.now() >= until) {
      return { state, allReady: isAllReady(workloads, state) };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Detects a stable cluster from successive states. */
export class Rest {
  private last = "";
  private since = Date.now();

  constructor(private readonly workloads: readonly Workload[]) {}

  /** Whether the state has been stable for long enough. */
  isReached(state: ClusterState): boolean {
    const now = Date.now();
    const look = JSON.stringify(state.pods.map(({ uid, node, ready, terminating }) => [uid, node, ready, terminating]));
    if (look !== this.last || !isStill(this.workloads, state)) {
      this.last = look;
      this.since = now;
    }
    return now - this.since >= this.timeOf(state);
  }

  private timeOf(state: ClusterState): number {
    if (isAllReady(this.workloads, state)) {
      return READY_FOR_MS;
    }
    return waitingPods(state).some(waitsForVolume) ? BINDING_FOR_MS : WAITING_FOR_MS;
  }
}
