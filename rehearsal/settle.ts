import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "./cluster/api-client";
import { type ClusterState, readState } from "./cluster-state";
import { isAllReady, isStill, waitingPods, waitsForVolume } from "./readiness";
import type { Workload } from "./workloads";

/** Milliseconds between two looks at the cluster. */
export const LOOK_EVERY_MS = 200;
/** Milliseconds for which everything stays ready before it is believed: controllers react to a deletion with a delay. */
const READY_FOR_MS = 500;
/** The same for pods that wait: longer than the scheduler lets one wait that did not fit. */
const WAITING_FOR_MS = 2000;
/**
 * The same while a pod waits for its volume: kube-controller-manager looks for claims that it found no volume for, or came too early
 * to, every 15 seconds (--pvclaimbinder-sync-period).
 */
const BINDING_FOR_MS = 20_000;

/** Seconds after which a cluster is taken as it is. */
const LIMIT_SECONDS = 60;

/** What a cluster came to rest in. */
export interface Settled {
  readonly state: ClusterState;
  /** All workloads have all they should have. */
  readonly allReady: boolean;
}

/**
 * Waits until nothing happens any more: all is ready, or the scheduler has said of every other pod why it waits. After a
 * minute the state is taken as it is.
 */
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

/** Tells from successive looks at a cluster when it has come to rest. */
export class Rest {
  private last = "";
  private since = Date.now();

  constructor(private readonly workloads: readonly Workload[]) {}

  /** Whether this state, and those before it, were the same for long enough. */
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
