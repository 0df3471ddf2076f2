/** Pods with all fields that they have in a cluster (test/fixtures/pods/README.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExpectedModel } from "../../../cli/status/expected";
import { eventFact, isReady, type PodFact, podFact, type StatusFacts } from "../../../cli/status/facts";
import { judgeModel, judgePart, podsInTrouble } from "../../../cli/status/judge";
import { loggedContainer } from "../../../cli/status/reasons";
import { repositoryRoot } from "../../../names/repository-root";

/** Before the pod that leaves should be gone, and after. */
const SOON = Date.parse("2026-11-29T01:20:00Z");
const NOW = Date.parse("2026-11-29T01:45:00Z");
const BUDGET = 3600;

const CHAT: ExpectedModel = {
  name: "chat",
  engine: "vllm",
  workloads: [
    {
      kind: "Deployment",
      namespace: "model-chat",
      name: "chat",
      model: "chat",
      replicas: 1,
      size: 1,
      selector: { app: "chat" },
    },
  ],
  startupBudget: BUDGET,
  endpoint: "https://inference.example.com/chat/v1",
  curl: "curl …",
};

function pod(name: string): PodFact {
  return podFact.parse(JSON.parse(readFileSync(join(repositoryRoot(), "test/fixtures/pods", `${name}.json`), "utf8")));
}

function facts(pods: readonly PodFact[], events: StatusFacts["events"] = []): StatusFacts {
  return { pods, events, replicas: new Map([["model-chat/chat", 1]]), scaledObjects: new Map() };
}

const judged = (names: readonly string[], now = NOW) => judgeModel(CHAT, facts(names.map(pod)), now, "prod");

describe("a pod that leaves", () => {
  it("is no ready replica, though its conditions say so, and no trouble while it has time", () => {
    const leaving = pod("leaving");
    expect(leaving.status.conditions.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(isReady(leaving)).toBe(false);
    expect(judged(["leaving"], SOON)).toMatchObject({ state: "starting", readyReplicas: 0, problems: [] });
    expect(judged(["leaving", "ready"], SOON)).toMatchObject({ state: "ready", readyReplicas: 1, problems: [] });
    const part = judgePart("model-chat", facts([leaving, pod("ready")]), SOON, "prod");
    expect(part).toMatchObject({ readyPods: 1, pods: 1, problems: [] });
  });

  it("is one that should be gone, after its time", () => {
    expect(judged(["leaving", "ready"]).problems).toMatchObject([{ what: "Pod chat-7d9f8c6b5-leaving" }]);
  });

  it("takes no place from one that the API server refuses, and its log is read last", () => {
    const refusal = eventFact.parse({
      type: "Warning",
      reason: "FailedCreate",
      message: "exceeded quota",
      metadata: { namespace: "model-chat" },
      involvedObject: { kind: "ReplicaSet", name: "chat-7d9f8c6b5" },
    });
    expect(judgeModel(CHAT, facts([pod("leaving")], [refusal]), SOON, "prod").problems).toMatchObject([
      { what: "Deployment chat" },
    ]);
    const inTrouble = podsInTrouble(CHAT, facts([pod("leaving"), pod("crash-looping")]));
    expect(inTrouble.map(({ metadata }) => metadata.name)).toEqual(["chat-7d9f8c6b5-crash", "chat-7d9f8c6b5-leaving"]);
  });
});

describe("a pod that is not ready", () => {
  it.each([
    ["on-lost-node", /^its node does not answer/],
    ["crash-looping", /^engine was restarted 6 times, .*exit status 1$/],
    ["running-again", /^engine was restarted 6 times, .*more memory than its limit$/],
    ["init-running-again", /^fetch was restarted 3 times, .*exit status 1$/],
    ["sidecar-crash-looping", /^sidecar was restarted 4 times, .*exit status 2$/],
    ["evicted", /^it ended: Evicted: The node was low on resource: memory/],
  ])("is told of within its time: %s", (name, why) => {
    expect(judged([name])).toMatchObject({ state: "failing", problems: [{ why: expect.stringMatching(why) }] });
  });

  it.each(["running-again-after-service", "readiness-gate"])("is starting within its time: %s", (name) => {
    expect(judged([name])).toMatchObject({ state: "starting", problems: [] });
    expect(judged([name], NOW + 2 * BUDGET * 1000).problems).toMatchObject([
      { why: expect.stringMatching(/^not ready/) },
    ]);
  });

  it.each([
    ["crash-looping", { name: "engine", previous: true }],
    ["running-again", { name: "engine", previous: true }],
    ["init-running-again", { name: "fetch", previous: true }],
    ["sidecar-crash-looping", { name: "sidecar", previous: true }],
    ["evicted", { name: "engine", previous: false }],
    ["on-lost-node", undefined],
  ])("has the log read that tells most: %s", (name, container) => {
    expect(loggedContainer(pod(name))).toEqual(container);
  });
});

it("a pod that was evicted is no trouble once its successor is ready, of a model or of a part", () => {
  expect(judged(["evicted", "ready"])).toMatchObject({ state: "ready", problems: [] });
  expect(part(pod("evicted"), pod("ready"))).toMatchObject({ readyPods: 1, pods: 1, problems: [] });
});

const part = (...pods: PodFact[]) => judgePart("model-chat", facts(pods), NOW, "prod");

it("a failed pod is none of those that should be ready", () => {
  expect(part(pod("evicted"))).toMatchObject({ readyPods: 0, pods: 0, problems: [{ what: expect.any(String) }] });
});

/** A pod of another owner of the kinds that have an owner themselves. */
function ownedBy(fixture: PodFact, kind: string, name: string, hash?: string): PodFact {
  const labels: Record<string, string> = hash === undefined ? {} : { "pod-template-hash": hash };
  const metadata = {
    ...fixture.metadata,
    name: `${name}-abcde`,
    labels: { ...fixture.metadata.labels, ...labels },
    ownerReferences: [{ uid: name, kind, name, controller: true }],
  };
  return { ...fixture, metadata };
}

const ended = (phase: string): PodFact => ({ ...pod("evicted"), status: { ...pod("evicted").status, phase } });
const run = (phase: string, name: string) => ownedBy(ended(phase), "Job", name);
const evictedOf = (name: string, hash: string) => ownedBy(pod("evicted"), "ReplicaSet", name, hash);
const readyOf = (name: string, hash: string) => ownedBy(pod("ready"), "ReplicaSet", name, hash);

it.each([
  ["its Deployment has rolled on", evictedOf("chat-5d", "5d"), readyOf("chat-7f", "7f"), 0],
  ["another Deployment is ready", evictedOf("chat-5d", "5d"), readyOf("chat-ui-7f", "7f"), 1],
  ["ReplicaSets have no Deployment", evictedOf("chat-a", "5d"), readyOf("chat-b", "7f"), 1],
  ["the next run of its CronJob succeeded", run("Failed", "copy-29400000"), run("Succeeded", "copy-29401440"), 0],
  ["an earlier run of its CronJob succeeded", run("Failed", "copy-29401440"), run("Succeeded", "copy-29400000"), 1],
  ["the next run failed as well", run("Failed", "copy-29400000"), run("Failed", "copy-29401440"), 2],
  ["another CronJob succeeded", run("Failed", "copy-29400000"), run("Succeeded", "sweep-29401440"), 1],
  ["another Job succeeded", run("Failed", "copy-1"), run("Succeeded", "copy-2"), 1],
] as const)("a failed pod where %s", (_, failed, other, problems) => {
  expect(part(failed, other).problems).toHaveLength(problems);
});

it("a failed pod of a model's earlier revision is no trouble", () => {
  const pods = [evictedOf("chat-5d", "5d"), readyOf("chat-7f", "7f")];
  expect(judgeModel(CHAT, facts(pods), NOW, "prod")).toMatchObject({ state: "ready", problems: [] });
});
