import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findShape, type MachineShape, sizedFlex } from "../../catalog/shapes";
import { MODEL_LABEL } from "../../names/labels";
import { podState as podStateOf } from "../../rehearsal/cluster-state";
import { busiestNodes, type PoolNode } from "../../rehearsal/pool-nodes";
import { Rest } from "../../rehearsal/settle";
import { workloadFact } from "../../rehearsal/workload-facts";
import { workloadsOf } from "../../rehearsal/workloads";
import { poolPlan } from "../report/html.fixture";
import { podState, stateOf, unschedulable, workload } from "./fixture";

describe("a pod of the API", () => {
  const metadata = { name: "chat-0", namespace: "model-chat", uid: "u", labels: { app: "chat" } };
  const pod = (spec: object, status: object) =>
    podStateOf({ apiVersion: "v1", kind: "Pod", metadata, spec, status } as Parameters<typeof podStateOf>[0]);

  it("waits for what the scheduler says", () => {
    const conditions = [{ type: "PodScheduled", status: "False", message: "0/1 nodes are available" }];
    expect(pod({}, { phase: "Pending", conditions })).toMatchObject({
      node: null,
      ready: false,
      unschedulable: true,
      waitsFor: "0/1 nodes are available",
    });
  });

  it("waits for the scheduler before it has said anything, and then for its containers", () => {
    expect(pod({}, { phase: "Pending" })).toMatchObject({
      unschedulable: false,
      waitsFor: "the scheduler's decision",
    });
    expect(pod({ nodeName: "gpu-0" }, { phase: "Pending" }).waitsFor).toBe("its containers on gpu-0 (Pending)");
  });

  it("waits for nothing once it is ready or has ended", () => {
    const conditions = [{ type: "Ready", status: "True" }];
    expect(pod({ nodeName: "gpu-0" }, { phase: "Running", conditions })).toMatchObject({ ready: true, waitsFor: null });
    expect(pod({ nodeName: "gpu-0" }, { phase: "Succeeded" })).toMatchObject({ finished: true, waitsFor: null });
  });
});

describe("workloads", () => {
  const metadata = { name: "chat", namespace: "model-chat", labels: { [MODEL_LABEL]: "chat" } };

  it("are read from what the program declared, with Kubernetes' own defaults", () => {
    const found = workloadsOf([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata,
        spec: { replicas: 3, selector: { matchLabels: { a: "b" } } },
      },
      { apiVersion: "batch/v1", kind: "Job", metadata: { name: "fetch", namespace: "store" }, spec: {} },
      {
        apiVersion: "leaderworkerset.x-k8s.io/v1",
        kind: "LeaderWorkerSet",
        metadata,
        spec: { replicas: 2, leaderWorkerTemplate: { size: 4 } },
      },
    ]);
    expect(found).toEqual([
      expect.objectContaining({ kind: "Deployment", model: "chat", replicas: 3, size: 1, selector: { a: "b" } }),
      expect.objectContaining({ kind: "Job", model: null, namespace: "store", replicas: 1, size: 1 }),
      expect.objectContaining({ kind: "LeaderWorkerSet", replicas: 2, size: 4 }),
    ]);
  });

  it("leave out what makes no pods, and what makes them at its hour", () => {
    const kinds = ["ConfigMap", "CronJob", "Service", "constructor"];
    expect(workloadsOf(kinds.map((kind) => ({ apiVersion: "v1", kind, metadata })))).toEqual([]);
  });

  it("that lack pods say what their controller said last", () => {
    const refusals = ["too old", "exceeded quota"].map((message) => ({
      namespace: "model-chat",
      maker: "chat-5d9f",
      message,
    }));
    const fact = workloadFact(workload(), stateOf([podState({ name: "a" })]), [
      ...refusals,
      { namespace: "model-chat", maker: "chatter", message: "another's" },
    ]);
    expect(fact).toMatchObject({ readyReplicas: 1, missing: "exceeded quota" });
    expect(workloadFact(workload({ replicas: 1 }), stateOf([podState({ name: "a" })]), refusals).missing).toBeNull();
  });
});

describe("rest", () => {
  beforeEach(() => vi.useFakeTimers({ now: 0 }));
  afterEach(() => vi.useRealTimers());
  const ready = stateOf([podState({ name: "a" }), podState({ name: "b" })]);
  const waiting = stateOf([podState({ name: "a" }), unschedulable({ name: "b" })]);

  it("is reached half a second after all got ready", () => {
    const rest = new Rest([workload()]);
    expect(rest.isReached(ready)).toBe(false);
    vi.setSystemTime(499);
    expect(rest.isReached(ready)).toBe(false);
    vi.setSystemTime(500);
    expect(rest.isReached(ready)).toBe(true);
  });

  it("takes two seconds while a pod waits: the scheduler tries again each second", () => {
    const rest = new Rest([workload()]);
    rest.isReached(waiting);
    vi.setSystemTime(1999);
    expect(rest.isReached(waiting)).toBe(false);
    vi.setSystemTime(2000);
    expect(rest.isReached(waiting)).toBe(true);
  });

  it("takes as long as claims may wait for their volume, while a pod waits for that", () => {
    const waitsFor = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found";
    const unbound = stateOf([podState({ name: "a" }), unschedulable({ name: "b", waitsFor })]);
    const rest = new Rest([workload()]);
    rest.isReached(unbound);
    vi.setSystemTime(19_999);
    expect(rest.isReached(unbound)).toBe(false);
    vi.setSystemTime(20_000);
    expect(rest.isReached(unbound)).toBe(true);
  });

  it("starts anew with every change, and is never reached while something moves", () => {
    const rest = new Rest([workload()]);
    const moving = stateOf([podState({ name: "a" })]);
    rest.isReached(waiting);
    vi.setSystemTime(1500);
    expect(rest.isReached(moving)).toBe(false);
    vi.setSystemTime(60_000);
    expect(rest.isReached(moving)).toBe(false);
    expect(rest.isReached(waiting)).toBe(false);
    vi.setSystemTime(62_000);
    expect(rest.isReached(waiting)).toBe(true);
  });
});

describe("the busiest node of each pool", () => {
  const shape = sizedFlex(shapeOf("VM.Standard.E5.Flex"), { ocpus: 2, memoryGB: 16 });
  const busy = poolPlan({ name: "busy", shape });
  const idle = poolPlan({ name: "idle", shape });
  const node = (name: string, pool: PoolNode["pool"]): PoolNode => ({
    pool,
    object: { apiVersion: "v1", kind: "Node", metadata: { name } },
  });
  const nodes = [node("busy-0", busy), node("busy-1", busy), node("idle-0", idle)];

  it("has most pods that run, and is none where none runs", () => {
    const state = stateOf([
      podState({ name: "a", node: "busy-0" }),
      podState({ name: "b", node: "busy-0", finished: true }),
      podState({ name: "c", node: "busy-1" }),
      podState({ name: "d", node: "busy-1" }),
      podState({ name: "e", node: "idle-0", finished: true }),
    ]);
    expect(busiestNodes(nodes, state)).toEqual([nodes[1]]);
  });

  it("is the first of equals", () => {
    const state = stateOf([podState({ name: "a", node: "busy-1" }), podState({ name: "b", node: "busy-0" })]);
    expect(busiestNodes(nodes, state)).toEqual([nodes[0]]);
  });
});

function shapeOf(name: string): MachineShape {
  const shape = findShape(name);
  if (shape === undefined) {
    throw new Error(`the catalogue has no shape ${name}`);
  }
  return shape;
}
