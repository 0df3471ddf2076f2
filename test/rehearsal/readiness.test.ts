import { describe, expect, it } from "vitest";
import { groupsOf } from "../../rehearsal/groups";
import { isAllReady, isStill, readyReplicas, waitingPods } from "../../rehearsal/readiness";
import { groupSet, member, podState, stateOf, unschedulable, workload } from "./fixture";

const two = workload();
const leader = podState({ name: "chat-0", labels: member(0) });
const worker = podState({ name: "chat-0-1", labels: member(1), node: "gpu-1" });

describe("ready replicas", () => {
  it("are pods, without those that leave, ended or belong to others", () => {
    const state = stateOf([
      podState({ name: "a" }),
      podState({ name: "b", terminating: true }),
      podState({ name: "c", finished: true }),
      podState({ name: "d", labels: { app: "other" } }),
      podState({ name: "e", namespace: "elsewhere" }),
    ]);
    expect(readyReplicas(two, state)).toBe(1);
  });

  it("of a group set are its complete groups", () => {
    expect(readyReplicas(groupSet, stateOf([leader, worker]))).toBe(1);
    expect(readyReplicas(groupSet, stateOf([leader]))).toBe(0);
    expect(readyReplicas(groupSet, stateOf([leader, { ...worker, ready: false }]))).toBe(0);
  });

  it("of a Job are all once it has ended well, though its pods are gone", () => {
    const job = workload({ kind: "Job", name: "fetch", replicas: 1 });
    expect(readyReplicas(job, stateOf([], ["model-chat/fetch"]))).toBe(1);
    expect(readyReplicas(job, stateOf([podState({ name: "fetch" })]))).toBe(0);
  });
});

describe("a cluster", () => {
  const ready = stateOf([podState({ name: "a" }), podState({ name: "b" })]);

  it("is ready when every workload has its replicas and no pod leaves", () => {
    expect(isAllReady([two], ready)).toBe(true);
    expect(isAllReady([two], stateOf([...ready.pods, podState({ name: "c", terminating: true })]))).toBe(false);
    expect(isAllReady([two], stateOf(ready.pods.slice(1)))).toBe(false);
  });

  it("is still when what is not ready has been refused by the scheduler", () => {
    expect(isStill([two], ready)).toBe(true);
    expect(isStill([two], stateOf([podState({ name: "a" }), unschedulable({ name: "b" })]))).toBe(true);
  });

  it.each([
    { what: "the scheduler has not decided", pods: [podState({ name: "b", node: null, ready: false })] },
    { what: "a pod starts", pods: [podState({ name: "b", ready: false })] },
    { what: "a pod leaves", pods: [podState({ name: "b" }), podState({ name: "c", terminating: true })] },
    { what: "its controller has not made a pod", pods: [] },
  ])("is not still while $what", ({ pods }) => {
    expect(isStill([two], stateOf([podState({ name: "a" }), ...pods]))).toBe(false);
  });

  it("does not wait for workers that are made only after their leader has a node", () => {
    expect(isStill([groupSet], stateOf([unschedulable({ name: "chat-0", labels: member(0) })]))).toBe(true);
    expect(isStill([groupSet], stateOf([leader]))).toBe(false);
  });

  it("waits for a Job to end, unless its pod has no place", () => {
    const job = workload({ kind: "Job", name: "fetch", selector: { job: "fetch" } });
    const pod = { name: "fetch", labels: { job: "fetch" } };
    expect(isStill([job], stateOf([podState(pod)]))).toBe(false);
    expect(isStill([job], stateOf([unschedulable(pod)]))).toBe(true);
    expect(isStill([job], stateOf([], ["model-chat/fetch"]))).toBe(true);
  });

  it("names the pods that wait, but none that leaves anyway", () => {
    const waiting = unschedulable({ name: "b" });
    const leaving = unschedulable({ name: "c", terminating: true });
    expect(waitingPods(stateOf([podState({ name: "a" }), waiting, leaving]))).toEqual([waiting]);
  });
});

describe("groups", () => {
  it("tell leader and workers apart, and put the leader first", () => {
    const [group] = groupsOf(groupSet, stateOf([worker, leader]));
    expect(group).toMatchObject({ name: "chat-0", size: 2, complete: true, onePodPerNode: true });
    expect(group?.pods.map(({ name, role, index }) => [name, role, index])).toEqual([
      ["chat-0", "leader", 0],
      ["chat-0-1", "worker", 1],
    ]);
  });

  it("are as many as there should be, whatever the controller made", () => {
    const groups = groupsOf({ ...groupSet, replicas: 2 }, stateOf([leader, worker]));
    expect(groups.map(({ name, complete, pods }) => [name, complete, pods.length])).toEqual([
      ["chat-0", true, 2],
      ["chat-1", false, 0],
    ]);
  });

  it("say when two of their pods share a node", () => {
    const [group] = groupsOf(groupSet, stateOf([leader, { ...worker, node: "gpu-0" }]));
    expect(group?.onePodPerNode).toBe(false);
  });

  it("are none of what is no group set", () => {
    expect(groupsOf(two, stateOf([leader]))).toEqual([]);
  });
});
