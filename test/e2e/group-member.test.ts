/** What pods of a group over nodes answer about each other, as processes with networks of their own. The engines are shells. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asMember, whileWhole } from "../../components/serving/group-member";
import { Program } from "../../rehearsal/cluster/lifeline";
import { type GroupPod, GroupPods, probedIn, run } from "../harness/group-pods";
import { processOf } from "../harness/kubelet";

const PROBE = {
  httpGet: { path: "/group", port: 29502 },
  periodSeconds: 15,
  timeoutSeconds: 10,
  failureThreshold: 3,
  terminationGracePeriodSeconds: 30,
};

describe("the members of a group of three", { timeout: 120_000 }, () => {
  let group: GroupPods;
  let engines: Program[];
  let folders: string[];

  beforeEach(async () => {
    group = await GroupPods.start(3);
    folders = group.pods.map(() => mkdtempSync(join(tmpdir(), "inference-stacks-group-")));
    engines = group.pods.map((_, index) => started(index));
    await expect.poll(well, { timeout: 30_000 }).toEqual([true, true, true]);
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.stop()));
    await group.stop();
  });

  const pod = (index: number): GroupPod => group.pods[index] as GroupPod;

  /** An engine with a process that computes. */
  function started(index: number): Program {
    const folder = folders[index] ?? "";
    const engine = ["/bin/sh", "-c", "sleep 1000 & wait"];
    const [program = "", ...words] = pod(index).inside(asMember(engine));
    return new Program(program, words, join(folder, "log"), { env: pod(index).env, cwd: folder, folder });
  }

  /** By each pod's own word, all at once. */
  function well(): Promise<boolean[]> {
    return Promise.all(group.pods.map((each) => probedIn(each, PROBE)()));
  }

  const computing = (index: number) => processOf({ says: ["sleep", "1000"], within: `${folders[index]}/` });

  it("miss a worker with a stopped process, and it itself; the other worker needs only its leader", async () => {
    process.kill(computing(1), "SIGSTOP");
    expect(await well()).toEqual([false, false, true]);
    process.kill(computing(1), "SIGCONT");
    expect(await well()).toEqual([true, true, true]);
  });

  it("miss their leader when one of its processes is stopped", async () => {
    process.kill(computing(0), "SIGSTOP");
    expect(await well()).toEqual([false, false, false]);
  });

  it("miss a worker that is cut off, within the probe's time, and it its leader", async () => {
    await group.cut(pod(2));
    const start = Date.now();
    expect(await well()).toEqual([false, true, false]);
    expect(Date.now() - start).toBeLessThan(PROBE.timeoutSeconds * 1000);
  });

  it("miss a worker that stands still as a whole, as its machine may", async () => {
    const everything = [computing(1), processOf({ says: ["LWS_WORKER_INDEX", "29502"], within: `${folders[1]}/` })];
    for (const pid of everything) {
      process.kill(pid, "SIGSTOP");
    }
    expect(await Promise.all([0, 1].map((index) => probedIn(pod(index), PROBE)()))).toEqual([false, false]);
    for (const pid of everything) {
      process.kill(pid, "SIGCONT");
    }
  });

  it("know each other when names are no longer found", async () => {
    group.forgetNames();
    expect(await well()).toEqual([true, true, true]);
  });

  it("miss a worker whose engine has ended, which ends what answered for it", async () => {
    await engines[1]?.terminate();
    await expect.poll(well, { timeout: 5000 }).toEqual([false, false, true]);
  });

  it("stay in a drain for as long as the group is whole", async () => {
    const { shell, test } = whileWhole();
    const isWhole = async (index: number) => (await run(pod(index), [shell, "-c", test], 20)) === 0;
    expect(await Promise.all([0, 1].map(isWhole))).toEqual([true, true]);
    await engines[0]?.terminate();
    await expect.poll(() => isWhole(1), { timeout: 10_000 }).toBe(false);
  });
});
