import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Expected, expectedOf } from "../../../cli/status/expected";
import { judgeGroup } from "../../../cli/status/groups";
import { statusText } from "../../../cli/status/report";
import { STATES, type StatusReport, statusSchema } from "../../../cli/status/result";
import { changedRun } from "../../stacks/run";

const GROUP = {
  name: "inference-cluster",
  model: "chat",
  members: ["chat", "chat-canary"],
  registrar: null,
  endpoint: "https://inference.example.com/inference-cluster",
  curl: "curl https://inference.example.com/inference-cluster/infer",
};
type Judged = Parameters<typeof judgeGroup>[1][number];
const model = (name: string, state: Judged["state"], readyReplicas: number, replicas: number): Judged => ({
  name,
  state,
  readyReplicas,
  replicas,
});

describe("a server group", () => {
  it.each([
    ["ready", [model("chat", "ready", 2, 2), model("chat-canary", "ready", 1, 1)], 3, 3],
    ["degraded", [model("chat", "ready", 2, 2), model("chat-canary", "failing", 0, 1)], 2, 3],
    ["starting", [model("chat", "starting", 0, 2), model("chat-canary", "stopped", 0, 0)], 0, 2],
    ["failing", [model("chat", "starting", 0, 2), model("chat-canary", "failing", 0, 1)], 0, 3],
    ["outside", [model("chat", "outside", 0, 0)], 0, 0],
    ["unknown", [], 0, 0],
  ] as const)("is %s as its nodes together are", (state, models, readyNodes, nodes) => {
    const others = [model("other", "failing", 0, 5)];
    expect(judgeGroup(GROUP, [...models, ...others])).toMatchObject({ state, readyNodes, nodes, curl: GROUP.curl });
  });

  it("never answers without a ready node, and is ready with all of them alone", () => {
    const member = fc.record({
      name: fc.constantFrom("chat", "chat-canary", "other"),
      state: fc.constantFrom(...STATES.filter((state) => state !== "ready" && state !== "degraded")),
      readyReplicas: fc.nat(3),
      replicas: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), (models) => {
        const { state, readyNodes, nodes } = judgeGroup(GROUP, models);
        expect(state === "ready" || state === "degraded").toBe(readyNodes > 0);
        expect(state === "ready").toBe(readyNodes > 0 && readyNodes >= nodes);
      }),
    );
  });
});

describe("groups of an environment", () => {
  let expected: Expected;
  beforeAll(async () => {
    const nodes = {
      "inference-cluster": { model: "assistant", registrar: { url: "https://registrar.example.com" } },
    };
    expected = expectedOf(await changedRun("dev", { nodes }));
  });

  it("have their address, a call, and where their nodes register", () => {
    expect(expected.groups).toEqual([
      {
        name: "inference-cluster",
        model: "assistant",
        members: ["assistant"],
        registrar: "https://registrar.example.com",
        endpoint: expect.stringMatching(/^https:\/\/\S+\/inference-cluster$/),
        curl: expect.stringContaining("/inference-cluster/infer"),
      },
    ]);
  });

  it("are shown beside models, in JSON and as a table, with the call that users make", () => {
    const groups = expected.groups.map((group) => judgeGroup(group, [model("assistant", "ready", 1, 2)]));
    const report: StatusReport = {
      environment: "dev",
      ok: true,
      cluster: { context: "kind", server: "https://127.0.0.1:6443" },
      failure: null,
      address: expected.address,
      chatPage: expected.chatPage,
      gitops: null,
      models: [],
      groups,
      platform: [],
      volumes: null,
      seconds: 1,
    };
    expect(statusSchema.parse(report).groups).toEqual(groups);
    const text = statusText(report, false);
    expect(text).toMatch(/! inference-cluster +degraded +1 of 2 +assistant +https:\/\/\S+\/inference-cluster/);
    expect(text).toContain("Try inference-cluster");
    expect(statusText({ ...report, groups: [] }, false)).not.toContain("Server groups");
  });
});
