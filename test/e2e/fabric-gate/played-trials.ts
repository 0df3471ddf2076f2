import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";

interface TrialPod extends KubernetesObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

const GOOD = recorded("two-a100-nodes").replaceAll(/1\d\d\.\d\d( {7}0)/g, "441.00$1");
const SLOW = recorded("two-h100-nodes-slow");

function recorded(name: string): string {
  return readFileSync(join(repositoryRoot(), `test/fixtures/nccl-tests/${name}.txt`), "utf8");
}

/** Plays the kubelets of a trial's nodes: the first pod ends with a recorded output once both pods have their nodes. */
export class PlayedTrials {
  /** Nodes whose trials are slow. */
  readonly bad = new Set<string>();
  /** Nodes of each trial that began, in the order of their names. */
  readonly seen: string[][] = [];
  /** Trials begin, and do not end. */
  hold = false;
  private running = true;
  private readonly jobs = new Set<string>();
  private readonly done = this.play();

  constructor(
    private readonly client: ApiClient,
    private readonly namespace: string,
  ) {}

  async stop(): Promise<void> {
    this.running = false;
    await this.done;
  }

  private async play(): Promise<void> {
    // Fields are set after this one begins.
    await sleep(0);
    for (; this.running; await sleep(50)) {
      const pods = ((await this.client.list("v1", "Pod")) as TrialPod[]).filter(
        ({ metadata }) => metadata.namespace === this.namespace && metadata.deletionTimestamp === undefined,
      );
      const jobOf = ({ metadata }: TrialPod) => metadata.labels?.["batch.kubernetes.io/job-name"] ?? "";
      for (const job of new Set(pods.map(jobOf))) {
        const both = pods.filter((pod) => jobOf(pod) === job);
        const nodes = both.flatMap(({ spec }) => spec.nodeName ?? []).sort();
        if (nodes.length < 2) {
          continue;
        }
        if (!this.jobs.has(job)) {
          this.jobs.add(job);
          this.seen.push(nodes);
        }
        const first = both.find(
          ({ metadata }) => metadata.labels?.["batch.kubernetes.io/job-completion-index"] === "0",
        );
        if (!this.hold && first && first.status?.phase === "Pending") {
          await this.end(first, nodes.some((node) => this.bad.has(node)) ? SLOW : GOOD);
        }
      }
    }
  }

  private async end(pod: TrialPod, output: string): Promise<void> {
    const message = `${output
      .split("\n")
      .filter((line) => /^ *\d|Out of bounds/.test(line))
      .join("\n")}\ntrial: ended 0 after 61 s`;
    const at = new Date().toISOString();
    const terminated = { exitCode: 0, reason: "Completed", message, startedAt: at, finishedAt: at };
    const status = {
      phase: "Succeeded",
      containerStatuses: [
        { name: "trial", image: "x", imageID: "x", ready: false, restartCount: 0, state: { terminated } },
      ],
    };
    const path = `${await this.client.path(pod)}/status`;
    await this.client.request("PATCH", path, JSON.stringify({ status }), "application/merge-patch+json");
  }
}
