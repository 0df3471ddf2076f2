/** The node of a Ray cluster's head is lost: its workers answer meanwhile. That the next head takes them over is not tried here. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningPod } from "../../../rehearsal/cluster/kubelet/running-pod";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { programRun } from "../../stacks/run";
import { answerOf, RayStand } from "./ray-stand";

/** Longer than Ray's own and Kubernetes' waits for a head that is slow, and than Serve's health checks. */
const AWAY_SECONDS = 90;

/** Asks each worker some times a second. */
class Asked {
  private answers = new Set<string>();
  private unanswered = 0;
  private ended = false;
  private asking: readonly Promise<void>[] = [];

  start(workers: readonly RunningPod[]): void {
    this.asking = workers.map(async (worker) => {
      while (!this.ended) {
        const answer = await answerOf(worker);
        if (answer === undefined) {
          this.unanswered += 1;
        } else {
          this.answers.add(answer);
        }
        await sleep(200);
      }
    });
  }

  /** What was said since the last time. */
  take(): { readonly answers: ReadonlySet<string>; readonly unanswered: number } {
    const { answers, unanswered } = this;
    this.answers = new Set();
    this.unanswered = 0;
    return { answers, unanswered };
  }

  async stop(): Promise<void> {
    this.ended = true;
    await Promise.all(this.asking);
  }
}

describe("a Ray cluster whose head is lost", () => {
  let stand: RayStand;
  let head: RunningPod;
  let workers: readonly RunningPod[] = [];
  let replicas: ReadonlySet<string>;
  const asked = new Asked();

  const running = () =>
    waitFor("the application to be RUNNING", async () => {
      const statuses = Object.values((await stand.applications(head)) ?? {});
      return statuses.length === 1 && statuses[0] === "RUNNING" ? true : undefined;
    });

  beforeAll(async () => {
    stand = await RayStand.start(recordedObjects((await programRun("aws-prod")).resources));
    await stand.runState();
    head = await stand.runHead();
    workers = await stand.runRole("worker", 2);
    await Promise.all(workers.map((worker) => waitFor("a worker to answer", () => answerOf(worker), 240)));
    await running();
    asked.start(workers);
    await sleep(5000);
    replicas = asked.take().answers;
  }, 480_000);
  afterAll(async () => {
    await asked.stop();
    await stand?.stop();
  });

  it("answers on both workers before", () => {
    expect(replicas.size).toBe(2);
  });

  it("answers every request while no head is there", async () => {
    await stand.lose(head);
    await sleep(AWAY_SECONDS * 1000);
    expect(asked.take()).toEqual({ answers: replicas, unanswered: 0 });
  });
});
