import { describe, expect, it } from "vitest";
import { assess } from "../../../rehearsal/report/assess";
import type { DrainFact, LossFact, RehearsalFacts } from "../../../rehearsal/report/schema";
import { facts, groupFact, NO_GPU, podFact, workloadFact } from "../fixture";

/** Each finding as `<severity> <rule>: <subject> <message>`. */
function said(changes: Partial<RehearsalFacts>): string[] {
  return assess(facts(changes)).map(({ severity, rule, subject, message }) => {
    return `${severity} ${rule}: ${subject} ${message}`;
  });
}

const waitingPod = podFact({ node: null, ready: false, waitsFor: NO_GPU });
const replicas = { namespace: "model-chat", name: "chat", model: "chat", replicas: 2 };

const drain: DrainFact = {
  node: "gpu-0",
  pool: "gpu",
  evicted: 2,
  pods: 2,
  heldBy: [],
  addedNodes: 0,
  finished: true,
  workloads: [],
  waiting: [],
  recovered: true,
  seconds: 1,
};

const loss: LossFact = {
  node: "gpu-0",
  pool: "gpu",
  pods: 1,
  workloads: [],
  groups: [],
  recovered: true,
  seconds: 1,
};

it("finds nothing when all is as promised", () => {
  const workloads = [workloadFact({ kind: "LeaderWorkerSet", size: 2, pods: groupFact().pods })];
  expect(said({ workloads, groups: [groupFact()], drains: [drain], losses: [loss] })).toEqual([]);
});

describe("after the start", () => {
  it("an object that the API server refused is broken", () => {
    const refused = [{ object: "Service a/b", reason: "apply Service a/b: 422 too long" }];
    expect(said({ objects: { applied: 1, refused } })).toEqual([
      "broken objects: Service a/b the API server refused it: apply Service a/b: 422 too long",
    ]);
  });

  it("pods that wait are counted per workload, with the scheduler's reason once and without its appendix", () => {
    const workloads = [workloadFact({ replicas: 3, readyReplicas: 1, pods: [podFact(), waitingPod, waitingPod] })];
    const models = [{ name: "chat", pool: "gpu", replicas: 3, nodesPerReplica: 1 }];
    expect(said({ workloads, models, drains: [drain] })).toEqual([
      "broken pods: model chat 2 of 3 pods wait: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
    ]);
  });

  it("pods that were never made are broken, in their controller's words", () => {
    const workloads = [workloadFact({ readyReplicas: 0, pods: [], missing: "exceeded quota: gpus" })];
    expect(said({ workloads, drains: [drain] })).toEqual([
      "broken pods: model chat has 0 of 1 pods; it waits for: exceeded quota: gpus",
    ]);
  });

  it("a Job is named as such, and the platform's own by where it is", () => {
    const stuck = { model: null, readyReplicas: 0, pods: [waitingPod] };
    const workloads = [
      workloadFact(),
      workloadFact({ ...stuck, kind: "Job", namespace: "model-store", name: "sync-chat" }),
      workloadFact({ ...stuck, kind: "StatefulSet", namespace: "model-store", name: "minio" }),
    ];
    const subjects = assess(facts({ workloads, drains: [drain] })).map(({ subject }) => subject);
    expect(subjects).toEqual(["Job model-store/sync-chat", "model-store/minio"]);
  });

  it("a model that nothing serves, or with another number of replicas than planned, is broken", () => {
    expect(said({ workloads: [] })).toEqual([
      "broken placement: model chat is planned with 1 replicas and declared with 0",
    ]);
  });

  it("a pod on another pool than the plan's is broken", () => {
    const nodes = [{ name: "gpu-0", pool: "spare" }];
    expect(said({ nodes })).toEqual(["broken placement: model chat is planned for pool gpu, and has chat-0 on gpu-0"]);
  });

  it("says that nothing more was rehearsed when not everything runs", () => {
    const workloads = [workloadFact({ readyReplicas: 0, pods: [waitingPod] })];
    expect(said({ workloads }).at(-1)).toBe(
      "notice skipped: node drains and losses were not rehearsed: first everything must run",
    );
  });
});

describe("a group", () => {
  const [leader, worker] = groupFact().pods;
  if (leader === undefined || worker === undefined) {
    throw new Error("the fixture's group has two pods");
  }
  const absent = { node: null, ready: false, waitsFor: NO_GPU };

  it.each([
    {
      what: "its worker",
      pods: [leader, { ...worker, ...absent }],
      says: "waits for 1 of 2 pods: worker 1: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
    },
    {
      what: "both",
      pods: [
        { ...leader, ...absent },
        { ...worker, ...absent, waitsFor: "the scheduler's decision" },
      ],
      says: "waits for 2 of 2 pods: leader: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu; worker 1: the scheduler's decision",
    },
    {
      what: "a leader before which there is no worker",
      pods: [{ ...leader, ...absent }],
      says: "waits for 2 of 2 pods: leader: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu; 1 not made yet",
    },
  ])("that waits for $what says so", ({ pods, says }) => {
    expect(said({ groups: [groupFact({ complete: false, pods })] })).toEqual([`broken groups: group chat-0 ${says}`]);
  });

  it("with two pods on one node is broken", () => {
    const pods = [leader, { ...worker, node: "gpu-0" }];
    expect(said({ groups: [groupFact({ onePodPerNode: false, pods })] })).toEqual([
      "broken groups: group chat-0 has several pods on one node: chat-0 on gpu-0, chat-0-1 on gpu-0",
    ]);
  });
});

describe("a drain", () => {
  const heldBy = [{ budget: "model-chat/chat", refusals: 9, message: "needs 1 healthy pods and has 1 currently" }];
  const held = { evicted: 1, heldBy, waiting: [waitingPod] };

  it("that does not end is broken, with the budget, what waits and the fix", () => {
    expect(said({ drains: [{ ...drain, ...held, finished: false }] })).toEqual([
      "broken drain: drain of gpu-0 does not end: 1 of 2 pods left, the rest is held by the disruption budget of " +
        "model-chat/chat; 1 pod waits: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu. Pool gpu may have no " +
        "more than 3 nodes: raise pools.gpu.maxNodes",
    ]);
  });

  it("that ends with one node more deserves a look", () => {
    expect(said({ drains: [{ ...drain, ...held, addedNodes: 1 }] })).toEqual([
      expect.stringMatching(
        /^notice drain: drain of gpu-0 ends only with one node more in pool gpu, which may have 3\. /,
      ),
    ]);
  });

  it("during which more replicas went than a budget allows is broken", () => {
    expect(said({ drains: [{ ...drain, workloads: [{ ...replicas, replicas: 3, fewest: 1 }] }] })).toEqual([
      "broken drain: drain of gpu-0 model chat fell to 1 of 3 replicas: its budget allows one at a time",
    ]);
    expect(said({ drains: [{ ...drain, workloads: [{ ...replicas, fewest: 1 }] }] })).toEqual([]);
  });

  it("that takes the head of a Ray cluster interrupts its model, which no budget can prevent", () => {
    const headless = { ...replicas, replicas: 3, fewest: 0, headLeft: true as const };
    expect(said({ drains: [{ ...drain, workloads: [headless] }] })).toEqual([
      `notice drain: drain of ${drain.node} interrupts what has one head, until another is there: model chat`,
    ]);
  });

  it("names together what it interrupts because there is one replica", () => {
    const single = { replicas: 1, fewest: 0 };
    const workloads = [
      { ...replicas, ...single },
      { ...replicas, ...single, model: null, namespace: "model-store", name: "minio" },
    ];
    expect(said({ drains: [{ ...drain, workloads }] })).toEqual([
      "notice drain: drain of gpu-0 interrupts what has one replica: model chat, model-store/minio",
    ]);
  });

  it("after which something stays away is broken", () => {
    expect(said({ drains: [{ ...drain, recovered: false }] })).toEqual([
      "broken drain: drain of gpu-0 not everything was ready again a minute after the node was put back",
    ]);
  });
});

describe("the loss of a node", () => {
  it("says what is out of service and what serves with less, with the reason, the like in one sentence", () => {
    const workloads = [
      { ...replicas, left: 0, waiting: [waitingPod, waitingPod] },
      { ...replicas, model: "code", left: 0, waiting: [waitingPod] },
      { ...replicas, model: "search", left: 1, waiting: [] },
      { ...replicas, model: "other", left: 2, waiting: [] },
    ];
    expect(said({ losses: [{ ...loss, workloads }] })).toEqual([
      "notice node-loss: loss of gpu-0 puts model chat, model code out of service until it is replaced; its pods have " +
        "no other place: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
      "notice node-loss: loss of gpu-0 puts model search down to 1 of 2 replicas until it is replaced",
    ]);
  });

  it("is broken when a group kept a pod of its former self, or something stays away", () => {
    const groups = [
      { name: "chat-0", restartedAsGroup: false },
      { name: "chat-1", restartedAsGroup: true },
    ];
    expect(said({ losses: [{ ...loss, groups, recovered: false }] })).toEqual([
      "broken node-loss: loss of gpu-0 group chat-0 kept pods of its previous generation: they never become ready",
      "broken node-loss: loss of gpu-0 not everything was ready again a minute after the node was replaced",
    ]);
  });
});
