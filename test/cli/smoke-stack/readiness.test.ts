import { describe, expect, it } from "vitest";
import { type Readiness, readinessOf } from "../../../cli/smoke/stack/readiness";
import { targetsOf } from "../../../cli/smoke/stack/targets";
import { GRACE_SECONDS, waitUntilReady } from "../../../cli/smoke/stack/wait";
import type { GitopsStatus, ModelStatus, State } from "../../../cli/status/result";

const model = (name: string, state: State, problems: ModelStatus["problems"] = []): ModelStatus => ({
  ...{ name, engine: "vllm", state, readyReplicas: 0, replicas: 1, scaling: null },
  ...{ endpoint: null, curl: null, problems, events: [], log: null },
});
const argoCd = (sync: string, health: string, messages: string[] = []): GitopsStatus => ({
  ...{ application: "inference-edge-root", sync, health, revision: null, messages },
});
const crash = { what: "Pod chat-0", why: "it ended", remedies: [] };
const asked = (models: ModelStatus[], gitops: GitopsStatus | null = null) => ({ failure: null, gitops, models });

describe("whether a platform can be asked", () => {
  it.each([
    ["ready", [model("chat", "ready"), model("nap", "asleep"), model("off", "stopped")]],
    ["starting", [model("chat", "starting")]],
    ["starting", [model("chat", "degraded")]],
    ["broken", [model("chat", "failing", [crash])]],
    ["broken", [model("chat", "degraded", [crash])]],
    ["broken", [model("chat", "absent")]],
  ] as const)("is %s by its models", (kind, models) => {
    expect(readinessOf(asked([...models])).kind).toBe(kind);
  });

  it.each([
    ["starting", argoCd("OutOfSync", "Missing")],
    ["starting", argoCd("Synced", "Progressing")],
    ["starting", argoCd("Unknown", "Unknown")],
    ["broken", argoCd("Synced", "Degraded")],
    ["broken", argoCd("Unknown", "Healthy", ["ComparisonError: repository not found"])],
    ["ready", argoCd("Synced", "Healthy")],
  ] as const)("is %s by Argo CD, whatever is not applied yet", (kind, gitops) => {
    const state = kind === "ready" ? "ready" : "absent";
    expect(readinessOf(asked([model("chat", state)], gitops)).kind).toBe(kind);
  });

  it("names what is wrong, of each model and of Argo CD", () => {
    expect(readinessOf(asked([model("chat", "failing", [crash])]))).toMatchObject({
      problems: ["chat failing, 0 of 1 ready", "chat: Pod chat-0: it ended"],
    });
    expect(readinessOf(asked([], argoCd("Unknown", "Healthy", ["ComparisonError: no such path"])))).toMatchObject({
      problems: [expect.stringContaining("ComparisonError: no such path")],
    });
  });
});

describe("the wait", () => {
  const STARTING: Readiness = { kind: "starting", what: "chat" };
  const BROKEN: Readiness = { kind: "broken", what: "chat", problems: [] };
  const LOST: Readiness = { kind: "unreachable", what: "no answer", problems: [] };
  const READY: Readiness = { kind: "ready" };

  /** @param answers at each second from which they hold. */
  async function waited(answers: readonly (readonly [from: number, answer: Readiness])[], seconds = 1000) {
    let now = 0;
    const shown: number[] = [];
    const end = await waitUntilReady({
      seconds,
      ask: async () => answers.findLast(([from]) => from <= now)?.[1] ?? READY,
      onProgress: (_, elapsed) => shown.push(elapsed),
      clock: {
        now: () => now,
        sleep: async (length) => {
          now += length;
        },
      },
    });
    return { kind: end.kind, after: now, shown };
  }

  it("ends as soon as all is ready, and shows each answer before", async () => {
    expect(await waited([[0, READY]])).toEqual({ kind: "ready", after: 0, shown: [] });
    expect(
      await waited([
        [0, STARTING],
        [12, READY],
      ]),
    ).toEqual({ kind: "ready", after: 15, shown: [0, 5, 10] });
  });

  it("ends with what still starts when the time is over", async () => {
    expect(await waited([[0, STARTING]], 60)).toMatchObject({ kind: "starting", after: 60 });
    expect(await waited([[0, STARTING]], 0)).toMatchObject({ kind: "starting", after: 0 });
  });

  it("gives what looks broken some time, from zero after each recovery", async () => {
    expect(await waited([[0, BROKEN]])).toMatchObject({ kind: "broken", after: GRACE_SECONDS });
    expect(
      await waited([
        [0, BROKEN],
        [100, STARTING],
        [105, BROKEN],
      ]),
    ).toMatchObject({ after: 105 + GRACE_SECONDS });
    expect(
      await waited([
        [0, BROKEN],
        [100, READY],
      ]),
    ).toMatchObject({ kind: "ready", after: 100 });
  });

  it("does not wait for a cluster that has never answered, and bears with one that has", async () => {
    expect(await waited([[0, LOST]])).toMatchObject({ kind: "unreachable", after: 0 });
    expect(
      await waited([
        [0, STARTING],
        [5, LOST],
        [60, READY],
      ]),
    ).toMatchObject({ kind: "ready", after: 60 });
  });
});

describe("models that are asked", () => {
  const usage = (name: string) => ({ baseUrl: `https://host/${name}/v1`, modelId: `id-of-${name}` });
  const outputs = {
    models: { chat: usage("chat"), writer: { baseUrl: "https://host/writer/v2/models/writer", modelId: "writer" } },
    consumerSecrets: { legal: "consumer-legal", all: "consumer-all" },
  };
  const plan = (tenants: readonly { name: string; models?: readonly string[] }[]) => ({
    models: [
      { name: "chat", task: "chat" as const },
      { name: "writer", task: "completion" as const },
    ],
    tenants: tenants.map((tenant) => ({ priority: "paid" as const, ...tenant })),
  });

  it("are asked as the first consumer that may call them, at their own address", () => {
    const { asked: found } = targetsOf(plan([{ name: "legal", models: ["writer"] }, { name: "all" }]), outputs, []);
    expect(found).toEqual([{ model: "chat", url: "https://host/chat", modelId: "id-of-chat", consumer: "all" }]);
    const [keyless] = targetsOf(plan([{ name: "legal", models: ["writer"] }]), outputs, []).asked;
    expect(keyless).not.toHaveProperty("consumer");
  });

  it("are those that run and speak the OpenAI API; of the others it is said why", () => {
    const states = [{ name: "chat", state: "asleep" as const }];
    expect(targetsOf(plan([]), outputs, states)).toEqual({
      asked: [],
      unasked: [
        { model: "chat", why: expect.stringContaining("a request starts it") },
        { model: "writer", why: expect.stringContaining("completion") },
      ],
    });
  });
});
