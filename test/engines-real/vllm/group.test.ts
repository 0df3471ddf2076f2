/**
 * A replica of two pods in vLLM's own multi-node mode, as it is rendered: each a process with a network of its own, judged by the rendered
 * probes as often as a kubelet asks.
 */
import { afterAll, afterEach, assert, beforeAll, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import type { RenderedContainer, RenderedPlatform } from "../../e2e/model-store/platform";
import type { Stand } from "../../e2e/model-store/stand";
import { type GroupPod, GroupPods, probedIn, run } from "../../harness/group-pods";
import { condemnedAfter, end, type LivenessProbe, processOf } from "../../harness/kubelet";
import { makeTinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

const NOTICED_SECONDS = 60;
/** Of the pod's grace when a probe ends its container. */
const ENDED_SECONDS = 30;
const { alive, ready } = engineOf("vllm").health;

let stand: Stand;
let weights: string;
let platform: RenderedPlatform;
let group: Group | undefined;

beforeAll(async () => {
  const tiny = makeTinyModel();
  // No plan on CPUs spans nodes; nothing here is about how fast it computes.
  const single = tinyPlan(tiny, { args: { "enforce-eager": true } });
  const spread: ModelPlan = { ...single, nodesPerReplica: 2, pipelineParallel: 2 };
  stand = await startStand(single, tiny);
  weights = await weightsFolder(stand, single);
  platform = await stand.changed([spread]);
});
afterEach(() => group?.stop());
afterAll(() => stand?.stop());

/** One pod of the group, with what its container is rendered with. */
class Member {
  readonly vllm: VllmProcess;
  readonly liveness: LivenessProbe;
  private readonly container: RenderedContainer;

  constructor(
    role: "leader" | "worker",
    readonly pod: GroupPod,
  ) {
    this.container = platform.groupEngine("tiny", role, "vllm");
    assert(this.container.liveness);
    this.liveness = this.container.liveness;
    // Gloo takes the address of the host's name, which is a pod's own.
    this.vllm = new VllmProcess(this.container, { pod, env: pod.env, volumes: { "/models/current": weights } });
  }

  passes(): Promise<boolean> {
    return probedIn(this.pod, this.liveness)();
  }

  /** Seconds until a kubelet ends the container; undefined where it does not. */
  condemned(seconds: number): Promise<number | undefined> {
    return condemnedAfter(this.liveness, () => this.passes(), seconds);
  }

  /** A process of its engine, by its title. */
  process(title: string): number {
    return processOf({ says: [title], within: this.vllm.home });
  }

  /** What the kubelet does then: the hook, and what is left of the grace. @returns seconds. */
  async ended(): Promise<number> {
    const began = Date.now();
    const main = processOf({ says: [], parent: process.pid, within: this.vllm.home });
    const grace = this.liveness.terminationGracePeriodSeconds;
    await run(this.pod, this.container.preStop, grace);
    const left = Math.max(2, grace - (Date.now() - began) / 1000);
    await end(main, { ...this.liveness, terminationGracePeriodSeconds: left });
    return (Date.now() - began) / 1000;
  }
}

class Group {
  private constructor(
    readonly pods: GroupPods,
    readonly leader: Member,
    readonly worker: Member,
  ) {}

  static async start(): Promise<Group> {
    const pods = await GroupPods.start(2);
    const [leader, worker] = pods.pods;
    assert(leader && worker);
    return new Group(pods, new Member("leader", leader), new Member("worker", worker));
  }

  /** Waits until the leader serves the model. @returns how often the worker's probe failed once it had passed. */
  async formed(): Promise<number> {
    let [failures, serves, hasPassed] = [0, false, false];
    const watched = (async () => {
      while (!serves) {
        const passes = await this.worker.passes();
        hasPassed ||= passes;
        failures += hasPassed && !passes ? 1 : 0;
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    })();
    await this.leader.vllm.until(ready).finally(() => {
      serves = true;
    });
    await watched;
    return failures;
  }

  /** An answer, or an error where none came within some seconds. */
  async answer(tokens: number, seconds: number): Promise<string> {
    const signal = AbortSignal.timeout(seconds * 1000);
    const body = { model: SERVED, prompt: "hello", max_tokens: tokens, ignore_eos: true };
    return (await this.leader.vllm.post("/v1/completions", body, { signal })).text();
  }

  /** @returns seconds until the kubelet of the leader would end its container, and that of the worker. */
  condemned(): Promise<(number | undefined)[]> {
    return Promise.all([this.leader, this.worker].map((member) => member.condemned(2 * NOTICED_SECONDS)));
  }

  /** The leader goes on as if nothing were. */
  async hangs(): Promise<void> {
    const { vllm } = this.leader;
    await expect(this.answer(4, 10)).rejects.toThrow(/timeout/);
    expect([vllm.ending, await vllm.status(alive), await vllm.status(ready)]).toEqual([undefined, 200, 200]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.leader.vllm.stop(), this.worker.vllm.stop()]);
    await this.pods.stop();
  }
}

/** The kubelets end both containers in time, while the leader goes on as if nothing were. */
async function expectNoticed(what: string, broken: Group): Promise<void> {
  const [condemned] = await Promise.all([broken.condemned(), broken.hangs()]);
  const ended = await Promise.all([broken.leader.ended(), broken.worker.ended()]);
  console.log(
    `${what}: leader and worker condemned after ${condemned.join(" and ")} s, ended in another ${ended.join(" and ")} s`,
  );
  for (const seconds of condemned) {
    expect(seconds).toBeLessThan(NOTICED_SECONDS);
  }
  // A kubelet looks for the end of a process that it killed.
  expect(Math.max(...ended)).toBeLessThan(ENDED_SECONDS + 5);
}

it("passes its probes while it loads and waits, and is made anew within 90 s of the stop of a worker's process", async () => {
  group = await Group.start();
  const { worker } = group;
  expect(await group.formed()).toBe(0);
  expect(await group.condemned()).toEqual([undefined, undefined]);
  process.kill(worker.process("VLLM::Worker"), "SIGSTOP");
  await expectNoticed("stopped", group);
}, 1_500_000);

it("is made anew within 90 s where a worker is cut off without a reset", async () => {
  group = await Group.start();
  await group.formed();
  await group.pods.cut(group.worker.pod);
  await expectNoticed("cut off", group);
}, 1_500_000);
