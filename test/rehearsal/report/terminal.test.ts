import { describe, expect, it } from "vitest";
import { type RehearsalReport, rehearsalSchema } from "../../../rehearsal/report/schema";
import { terminalReport } from "../../../rehearsal/report/terminal";
import { facts, groupFact, podFact, workloadFact } from "../fixture";

const report: RehearsalReport = {
  ...facts({
    workloads: [
      workloadFact({
        kind: "LeaderWorkerSet",
        size: 2,
        pods: [podFact(), podFact({ name: "chat-0-1", node: "gpu-1" })],
      }),
    ],
    groups: [groupFact()],
    drains: [
      {
        node: "gpu-0",
        pool: "gpu",
        evicted: 1,
        pods: 1,
        heldBy: [{ budget: "model-chat/chat", refusals: 3, message: "needs 1 healthy pods" }],
        addedNodes: 1,
        finished: true,
        workloads: [{ namespace: "model-chat", name: "chat", model: "chat", replicas: 1, fewest: 0 }],
        waiting: [],
        recovered: true,
        seconds: 2,
      },
    ],
    losses: [
      {
        node: "gpu-0",
        pool: "gpu",
        pods: 1,
        workloads: [{ namespace: "model-chat", name: "chat", model: "chat", replicas: 1, left: 0, waiting: [] }],
        groups: [{ name: "chat-0", restartedAsGroup: true }],
        recovered: true,
        seconds: 3,
      },
    ],
  }),
  ok: true,
  findings: [{ severity: "notice", rule: "drain", subject: "drain of gpu-0", message: "interrupts model chat" }],
  phases: [{ name: "plan", seconds: 1.25 }],
  seconds: 12.34,
};

const plain = { color: false };

describe("a report on the terminal", () => {
  it("shows pools, workloads, groups, drains, losses, findings, what is left out, and the times", () => {
    expect(terminalReport(report, plain)).toBe(`inference-stacks · test · rehearsed in 12.3 s

Pools  shape         nodes           GPUs each
gpu    VM.GPU.A10.2  2 (may have 3)  2

Workloads        kind             ready         on
model-chat/chat  LeaderWorkerSet  1 of 1 group  gpu-0, gpu-1

Groups  formed  pods
chat-0  yes     2 of 2: leader on gpu-0, worker 1 on gpu-1

Drains  pods    ended        held by                fewest replicas
gpu-0   1 of 1  with 1 more  model-chat/chat (3 ×)  chat 0 of 1

Losses  pods  without it   waiting  groups       recovered
gpu-0   1     chat 0 of 1  0        chat-0 anew  yes

! drain of gpu-0 interrupts model chat

Not rehearsed
  pods of 1 Helm charts: cert-manager
  controllers of 1 kinds of custom resources: Gateway
  containers, images, GPUs and drivers: KWOK simulates the kubelets, and every pod with a node is ready at once
  networks, load balancers and the cloud's storage: volumes are fakes that any node can mount
  trials of RDMA networks: once a gate's Job has ended, the rehearsal removes the taint of its nodes
  waiting times: images, model downloads, and the minutes until a cluster reports a dead node

Seconds: plan 1.3

All as promised: 12 objects accepted, every pod has its place.
Next: pulumi up -s test --policy-pack policies
`);
  });

  it("ends with the number of broken promises instead of the next step", () => {
    const broken = { severity: "broken", rule: "pods", subject: "model chat", message: "waits" } as const;
    const text = terminalReport({ ...report, ok: false, findings: [broken, broken] }, plain);
    expect(text).toContain("✗ model chat waits\n");
    expect(text.endsWith("2 promises do not hold: see what is marked ✗.\n")).toBe(true);
  });

  it("has no colours where none are wanted", () => {
    expect(terminalReport(report, plain)).not.toContain("\u001b");
  });
});

it("has the shape that its schema promises to other programs", () => {
  expect(rehearsalSchema.parse(report)).toEqual(report);
});
