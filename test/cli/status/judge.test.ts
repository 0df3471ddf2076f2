import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExpectedModel } from "../../../cli/status/expected";
import { eventFact, type PodFact, podFact, type StatusFacts, scaledObjectFact } from "../../../cli/status/facts";
import { judge, judgeModel, judgePart } from "../../../cli/status/judge";
import { loggedContainer } from "../../../cli/status/reasons";
import { isWell } from "../../../cli/status/result";
import { GROUP_LABELS, type Workload } from "../../../rehearsal/workloads";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const SERVER: Workload = {
  kind: "Deployment",
  namespace: "model-chat",
  name: "chat",
  model: "chat",
  replicas: 2,
  size: 1,
  selector: { app: "chat" },
};
const CHAT: ExpectedModel = {
  name: "chat",
  engine: "vllm",
  workloads: [SERVER],
  startupBudget: 300,
  endpoint: "https://inference.example.com/chat/v1",
  curl: "curl …",
};
const READY = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

interface PodOptions {
  readonly labels?: Record<string, string>;
  /** Seconds since it was made. */
  readonly age?: number;
  /** Seconds since it should be gone; negative: it still has time. @default it is not leaving */
  readonly leftAgo?: number;
}

function pod(name: string, status: object, more: PodOptions = {}): PodFact {
  const { labels = { app: "chat" }, age = 60, leftAgo } = more;
  const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
  const deletion = leftAgo === undefined ? {} : { deletionTimestamp: ago(leftAgo) };
  const metadata = { name, namespace: "model-chat", labels, creationTimestamp: ago(age), ...deletion };
  return podFact.parse({ metadata, status });
}

function facts(pods: readonly PodFact[], more: Partial<StatusFacts> = {}): StatusFacts {
  return { pods, events: [], replicas: new Map([["model-chat/chat", 2]]), scaledObjects: new Map(), ...more };
}

function warning(object: string, reason: string, message: string, at = "2026-11-23T11:59:00Z") {
  return eventFact.parse({
    type: "Warning",
    reason,
    message,
    lastTimestamp: at,
    metadata: { namespace: "model-chat" },
    involvedObject: { kind: "Pod", name: object },
  });
}

/** Two workers and a head. */
const RAY: ExpectedModel = { ...CHAT, workloads: [{ ...SERVER, kind: "RayService", heads: 1 }] };
const head = (status: object) => pod("head", status, { labels: { app: "chat", "ray.io/node-type": "head" } });

const judged = (found: StatusFacts, model = CHAT) => judgeModel(model, found, NOW, "prod");

/** What KEDA says of the model, by its conditions: of `type`, `status`, and a message. */
function scaler(...conditions: readonly (readonly [type: string, status: string, message?: string])[]) {
  const told = conditions.map(([type, status, message]) => ({ type, status, ...(message && { message }) }));
  const fact = scaledObjectFact.parse({ metadata: { namespace: "model-chat" }, status: { conditions: told } });
  return { scaledObjects: new Map([["model-chat", fact]]) };
}

describe("a model whose replicas follow demand", () => {
  const sleeper: ExpectedModel = { ...CHAT, scaling: { by: "keda", min: 0, max: 4 } };
  const none = { replicas: new Map([["model-chat/chat", 0]]) };

  it.each([
    ["asleep", sleeper, scaler(["Ready", "True"], ["Paused", "False"])],
    // Whoever may not see what KEDA says.
    ["asleep", sleeper, {}],
    ["stopped", sleeper, scaler(["Ready", "True"], ["Paused", "True"])],
    ["stopped", { ...CHAT, scaling: { by: "keda", min: 1, max: 4 } } as const, scaler(["Ready", "True"])],
  ] as const)("is %s without replicas", (state, model, said) => {
    const { scaling = null, ...found } = judged(facts([], { ...none, ...said }), model);
    expect(found).toMatchObject({ state, problems: [] });
    expect(scaling).toEqual({ min: model.scaling?.min, max: 4 });
  });

  it("has a problem where its signals cannot be read, though all its replicas are ready", () => {
    const ready = [pod("a", READY), pod("b", READY)];
    const lost = scaler(["Ready", "False", "prometheus query api returned error"], ["Fallback", "True"]);
    expect(judged(facts(ready, lost), sleeper)).toMatchObject({
      state: "ready",
      problems: [
        {
          what: "autoscaling",
          why: "its signals cannot be read, so demand changes nothing: prometheus query api returned error",
        },
      ],
    });
    expect(judged(facts(ready, scaler(["Ready", "True"], ["Fallback", "False"])), sleeper).problems).toEqual([]);
    expect(judged(facts(ready, scaler(["Ready", "True"], ["Fallback", "True"])), sleeper).problems).toHaveLength(1);
  });
});

describe("a model", () => {
  it("has the pods alone that all labels of its selector match", () => {
    const model = { ...CHAT, workloads: [{ ...SERVER, selector: { app: "chat", role: "server" } }] };
    const server = pod("a", READY, { labels: { app: "chat", role: "server" } });
    const found = judged(facts([server, pod("loader", READY, { labels: { app: "chat", role: "loader" } })]), model);
    expect(found).toMatchObject({ state: "degraded", readyReplicas: 1 });
  });

  it.each([
    ["ready", [pod("a", READY), pod("b", READY)], 2],
    ["degraded", [pod("a", READY), pod("b", { phase: "Pending" })], 1],
    ["starting", [pod("a", { phase: "Running" }), pod("b", { phase: "Pending" })], 0],
    ["failing", [pod("a", { phase: "Running" }, { age: 301 })], 0],
  ] as const)("is %s", (state, pods, readyReplicas) => {
    expect(judged(facts(pods))).toMatchObject({ state, readyReplicas, replicas: 2, curl: "curl …" });
  });

  it("is stopped where somebody scaled it to none, and absent where the cluster has nothing of it", () => {
    expect(judged(facts([], { replicas: new Map([["model-chat/chat", 0]]) }))).toMatchObject({
      state: "stopped",
      replicas: 0,
    });
    expect(judged(facts([], { replicas: new Map() }))).toMatchObject({ state: "absent", replicas: 2 });
  });

  it("is outside where it runs elsewhere", () => {
    expect(judged(facts([]), { ...CHAT, engine: "external", workloads: [] })).toMatchObject({ state: "outside" });
  });

  it("counts a group whose pods are all ready, and the workers of a Ray cluster without its head", () => {
    const group = (index: string, status: object) =>
      pod(`g${index}`, status, { labels: { app: "chat", [GROUP_LABELS.group]: index } });
    const pods = [group("0", READY), group("0", READY), group("1", READY), group("1", { phase: "Pending" })];
    const grouped = { ...CHAT, workloads: [{ ...SERVER, kind: "LeaderWorkerSet" as const, size: 2 }] };
    expect(judged(facts(pods), grouped)).toMatchObject({ state: "degraded", readyReplicas: 1 });
    expect(judged(facts([head(READY), pod("w", READY)]), RAY)).toMatchObject({ readyReplicas: 1, problems: [] });
  });

  it("has no ready replica where the head of its Ray cluster is not ready", () => {
    const workers = [pod("w-0", READY), pod("w-1", READY)];
    const starting = head({ phase: "Running" });
    expect(judged(facts([starting, ...workers]), RAY)).toMatchObject({ state: "starting", readyReplicas: 0 });
    expect(judged(facts([head(READY), ...workers]), RAY)).toMatchObject({ state: "ready", readyReplicas: 2 });
  });

  it("never has more ready replicas than ready pods, and is ready with all of them alone", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 6 }), fc.integer({ min: 0, max: 6 }), (ready, wanted) => {
        const pods = ready.map((isReady, i) => pod(`p${i}`, isReady ? READY : { phase: "Pending" }));
        const { state, readyReplicas } = judged(facts(pods, { replicas: new Map([["model-chat/chat", wanted]]) }));
        expect(readyReplicas).toBe(ready.filter(Boolean).length);
        expect(state === "ready").toBe(wanted > 0 && readyReplicas >= wanted);
      }),
    );
  });

  it("shows its last warnings, the latest first", () => {
    const events = [
      warning("a", "Unhealthy", "old", "2026-11-23T11:00:00Z"),
      warning("a", "BackOff", "new"),
      { ...warning("a", "Pulled", "fine"), type: "Normal" },
    ];
    expect(judged(facts([pod("a", READY)], { events })).events).toEqual([
      { at: "2026-11-23T11:59:00Z", object: "Pod a", reason: "BackOff", message: "new" },
      { at: "2026-11-23T11:00:00Z", object: "Pod a", reason: "Unhealthy", message: "old" },
    ]);
  });
});

describe("what is wrong", () => {
  const why = (status: object, more: PodOptions & { events?: StatusFacts["events"] } = {}) =>
    judged(facts([pod("a", status, more)], { events: more.events ?? [] })).problems[0];
  const waiting = (reason: string, more: object = {}) => ({
    phase: "Pending",
    containerStatuses: [
      { name: "engine", image: "vllm:1", state: { waiting: { reason, message: "says why" } }, ...more },
    ],
  });

  describe("a node autoscaler that makes no node", () => {
    const status = {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }],
    };
    const normal = (reason: string, message: string, at: string) => ({
      ...warning("a", reason, message, at),
      type: "Normal",
    });
    const scheduler = warning("a", "FailedScheduling", "0/3 nodes are available", "2026-11-23T11:59:30Z");
    // What pods see while a pool is "Out of host capacity" (OKE) or "InsufficientInstanceCapacity" (EC2).
    const backoff = "1 in backoff after failed scale-up, 2 node(s) didn't match Pod's node affinity/selector";
    const offering = "no instance type has enough resources and a required offering";

    it.each([
      [
        "Karpenter",
        offering,
        warning("a", "FailedScheduling", `Failed to schedule pod, ${offering}`),
        "reason=InsufficientCapacityError",
      ],
      [
        "cluster-autoscaler",
        backoff,
        normal("NotTriggerScaleUp", `pod didn't trigger scale-up: ${backoff}`, "2026-11-23T11:59:00Z"),
        "involvedObject.name=cluster-autoscaler-status",
      ],
    ])("is named besides the scheduler's reason: %s", (name, reason, event, cause) => {
      const problem = why(status, { events: [scheduler, event] });
      expect(problem?.why).toBe(`no node takes it: 0/3 nodes are available; ${name} makes none: ${reason}`);
      expect(problem?.remedies).toEqual([
        expect.stringContaining("npm run doctor -- prod"),
        `if the cloud has no machine: kubectl get events -A --field-selector ${cause}`,
      ]);
    });

    const karpenterRefuses = warning(
      "a",
      "FailedScheduling",
      `Failed to schedule pod, ${offering}`,
      "2026-11-23T11:50:00Z",
    );

    it.each([
      ["none reports it", []],
      [
        "the cluster autoscaler has added a node since",
        [
          normal("NotTriggerScaleUp", `pod didn't trigger scale-up: ${backoff}`, "2026-11-23T11:50:00Z"),
          normal("TriggeredScaleUp", "pod triggered scale-up: [{pool 0->1 (max: 4)}]", "2026-11-23T11:58:00Z"),
        ],
      ],
      [
        "Karpenter has added a node since",
        [
          karpenterRefuses,
          normal("Nominated", "Pod should schedule on: nodeclaim/default-x7k2p", "2026-11-23T11:58:00Z"),
        ],
      ],
    ])("is not named where %s", (_, events) => {
      expect(why(status, { events: [...events, scheduler] })).toMatchObject({
        why: "no node takes it: 0/3 nodes are available",
        remedies: [expect.anything(), "while a node autoscaler adds a node, this goes by itself"],
      });
    });

    it("is named where a later event has no reason", () => {
      const { reason: _, ...bare } = normal("", "", "2026-11-23T11:58:00Z");
      expect(why(status, { events: [karpenterRefuses, bare] })?.why).toContain(`Karpenter makes none: ${offering}`);
    });
  });

  it.each([
    [
      "an unschedulable pod",
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
      /no node takes it: 0\/3 nodes are available/,
      /npm run doctor -- prod/,
    ],
    [
      "an image that cannot be had",
      waiting("ImagePullBackOff"),
      /the image of engine cannot be had \(vllm:1\): says why/,
      /registry/,
    ],
    [
      "a Secret that is not there",
      waiting("CreateContainerConfigError"),
      /engine cannot be started: says why/,
      /pulumi up/,
    ],
    [
      "a container that ends again and again",
      waiting("CrashLoopBackOff", { restartCount: 4, lastState: { terminated: { exitCode: 1, reason: "Error" } } }),
      /engine was restarted 4 times, after it last ended with: exit status 1/,
      /last words/,
    ],
    [
      "one that takes too much memory",
      waiting("CrashLoopBackOff", {
        restartCount: 2,
        lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
      }),
      /engine was restarted 2 times, after it last ended with: it took more memory than its limit/,
      /contextTokens/,
    ],
    [
      "a pod that its node threw out",
      { phase: "Failed", reason: "Evicted", message: "low on disk" },
      /it ended: Evicted: low on disk/,
      /describe node/,
    ],
  ] as const)("is said of %s", (_, status, reason, remedy) => {
    const problem = why(status);
    expect(problem).toMatchObject({ what: "Pod a", why: expect.stringMatching(reason) });
    expect(problem?.remedies.join("\n")).toMatch(remedy);
  });

  it("is a volume that does not come, from the pod's own events", () => {
    const events = [warning("b", "FailedMount", "not mine"), warning("a", "FailedMount", "no such claim")];
    expect(why({ phase: "Pending" }, { events })?.why).toBe("a volume or Secret is not there: no such claim");
  });

  it("is nothing while it starts in time, and afterwards what its probe says", () => {
    const events = [warning("a", "Unhealthy", "Startup probe failed: 503")];
    expect(why({ phase: "Running" }, { age: 299, events })).toBeUndefined();
    expect(why({ phase: "Running" }, { age: 600, events })?.why).toBe(
      "not ready after 10 min, the plan gives it 5 min: Startup probe failed: 503",
    );
  });

  it.each([READY, { phase: "Running" }])(
    "is a pod that should be gone, not one that still has its grace: %j",
    (status) => {
      expect(why(status, { leftAgo: -3000, age: 9000 })).toBeUndefined();
      expect(why(status, { leftAgo: 30, age: 9000 })).toBeUndefined();
      const problem = why(status, { leftAgo: 600 });
      expect(problem?.why).toMatch(/^Terminating, and should be gone for 10 min: its node does not answer/);
      expect(problem?.remedies.join()).toContain("When a node is lost");
    },
  );

  it("is a refused pod where too few are there", () => {
    const refused = { ...warning("chat-5f6d", "FailedCreate", "exceeded quota") };
    expect(judged(facts([], { events: [refused] })).problems).toEqual([
      expect.objectContaining({ what: "Deployment chat", why: "a pod of it is refused: exceeded quota" }),
    ]);
  });

  it("is a refused pod of a Ray cluster where all but one of its head and workers are there", () => {
    const events = [warning("chat-5f6d", "FailedCreate", "exceeded quota")];
    const workers = [pod("w-0", READY), pod("w-1", READY)];
    const refusals = (...pods: PodFact[]) => judged(facts(pods, { events }), RAY).problems.map(({ why }) => why);
    expect(refusals(...workers)).toEqual(["a pod of it is refused: exceeded quota"]);
    expect(refusals(head(READY), ...workers)).toEqual([]);
  });
});

describe("the log that tells most", () => {
  const statuses = (...containerStatuses: object[]) => pod("a", { containerStatuses });
  it("is that of the container which ended, before it was started again", () => {
    const sidecar = { name: "sidecar", ready: true, state: { running: {} } };
    const crashed = { name: "engine", state: { waiting: {} }, lastState: { terminated: { exitCode: 1 } } };
    expect(loggedContainer(statuses(sidecar, crashed))).toEqual({ name: "engine", previous: true });
    expect(loggedContainer(statuses(sidecar, { name: "engine", state: { running: {} } }))).toEqual({
      name: "engine",
      previous: false,
    });
    expect(loggedContainer(statuses(sidecar))).toBeUndefined();
  });

  it("is the engine's, or what still fetches its model, and not that of the node's proxy, which is only ready with its engine", () => {
    const node = { name: "node", state: { running: {} } };
    const loader = { name: "loader", state: { running: {} } };
    const engine = (state: object) => ({ name: "engine", state });
    const inPod = (inits: object[], state: object) =>
      pod("a", { phase: "Running", initContainerStatuses: inits, containerStatuses: [engine(state)] });
    expect(loggedContainer(inPod([node, loader], { waiting: {} }))?.name).toBe("loader");
    expect(loggedContainer(inPod([node], { running: {} }))?.name).toBe("engine");
    const late = (inits: object[], state: object) =>
      judged(facts([{ ...inPod(inits, state), metadata: { ...pod("a", {}, { age: 600 }).metadata } }])).problems[0]
        ?.why;
    expect(late([node, loader], { waiting: {} })).toContain("loader still runs");
    expect(late([node], { running: {} })).not.toContain("still runs");
  });
});

describe("a part of the platform", () => {
  it("is its pods, without those of Jobs that ended well", () => {
    const pods = [pod("a", READY), pod("job", { phase: "Succeeded" }), pod("b", { phase: "Pending" })];
    expect(judgePart("model-chat", facts(pods), NOW, "prod")).toMatchObject({ readyPods: 1, pods: 2, problems: [] });
  });

  it("counts against the whole, unlike a model that somebody stopped", () => {
    const expected = {
      environment: "prod",
      address: "",
      chatPage: null,
      application: null,
      models: [CHAT],
      groups: [],
      platform: ["store"],
    };
    const stopped = judge(expected, facts([], { replicas: new Map([["model-chat/chat", 0]]) }), NOW);
    const shown = { ...stopped, models: stopped.models.map((model) => ({ ...model, log: null })) };
    expect(isWell(shown)).toBe(true);
    expect(isWell({ ...shown, platform: [{ namespace: "store", readyPods: 0, pods: 1, problems: [] }] })).toBe(false);
  });
});
