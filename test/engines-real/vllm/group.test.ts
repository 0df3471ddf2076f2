/** A replica of two pods in vLLM's own multi-node mode, as it is rendered, as two processes of this machine. */
import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { RENDEZVOUS_PORT } from "../../../components/serving/vllm-args";
import { engineOf } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { RenderedPlatform } from "../../e2e/model-store/platform";
import type { Stand } from "../../e2e/model-store/stand";
import { makeTinyModel } from "./tiny-model";
import { SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

/** What LeaderWorkerSet puts into the containers of a group, and what a pod of its own has instead of a loopback. */
const loopback = {
  LWS_GROUP_SIZE: "2",
  LWS_LEADER_ADDRESS: "127.0.0.1",
  VLLM_HOST_IP: "127.0.0.1",
  GLOO_SOCKET_IFNAME: "lo",
};

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

class Group {
  readonly leader: VllmProcess;
  readonly worker: VllmProcess;

  private constructor(private readonly ports: readonly number[]) {
    [this.leader, this.worker] = [this.member("leader", 0), this.member("worker", 1)];
  }

  static async start(): Promise<Group> {
    return new Group(await freePorts(3));
  }

  private member(role: "leader" | "worker", index: number): VllmProcess {
    const [meeting, ...own] = this.ports;
    return new VllmProcess(platform.groupEngine("tiny", role, "vllm"), {
      port: own[index] ?? 0,
      arguments: { [`--master-port=${RENDEZVOUS_PORT}`]: `--master-port=${meeting}` },
      env: { ...loopback, LWS_WORKER_INDEX: String(index) },
      volumes: { "/models/current": weights },
    });
  }

  async formed(): Promise<void> {
    await this.leader.until(engineOf("vllm").health.ready);
  }

  /** What the kubelet asks in the worker. @returns the command's status. */
  workerProbe(): number | null {
    const { liveness } = platform.groupEngine("tiny", "worker", "vllm");
    const [program = "", ...args] = (liveness?.exec?.command ?? []).map((word) =>
      word.replace(String(RENDEZVOUS_PORT), String(this.ports[0])),
    );
    expect(args.join(" ")).toContain(String(this.ports[0]));
    return spawnSync(program, args, { env: { ...process.env, ...loopback }, timeout: 10_000 }).status;
  }

  async stop(): Promise<void> {
    await Promise.all([this.leader.stop(), this.worker.stop()]);
  }
}

it("forms, and stays as it is when its leader is gone: the worker's probe then fails, and only that", async () => {
  group = await Group.start();
  await group.formed();
  expect(JSON.parse(await group.leader.text("/v1/models"))).toMatchObject({ data: [{ id: SERVED }] });
  expect(group.workerProbe()).toBe(0);
  await group.leader.stop();
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  expect(group.worker.ending).toBeUndefined();
  expect(group.workerProbe()).toBe(1);
});

it("goes on as if nothing were when its worker is gone: the controller alone sees that, by the worker's pod", async () => {
  group = await Group.start();
  await group.formed();
  const { leader, worker } = group;
  await worker.stop();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const { alive, ready } = engineOf("vllm").health;
  expect([leader.ending, await leader.status(alive), await leader.status(ready)]).toEqual([undefined, 200, 200]);
  // Nor does a request tell it: that waits for the worker's part.
  const signal = AbortSignal.timeout(10_000);
  await expect(
    leader.post("/v1/completions", { model: SERVED, prompt: "hello", max_tokens: 4 }, { signal }),
  ).rejects.toThrow(/timeout/);
  expect([leader.ending, await leader.status(alive)]).toEqual([undefined, 200]);
});
