import { describe, expect, it } from "vitest";
import type { SessionKey } from "../../../planner/affinity";
import { crdProblems } from "../../harness/crds";
import type { Deployment } from "../../harness/deploy";
import { deployGateway, endpoint, specOf } from "./fixture";

const legal = endpoint("legal");
const canary = (weight: number) =>
  endpoint("legal-canary", { servedName: "legal", revisionOf: { model: "legal", weight } });
const triton = endpoint("ranking", { engine: "triton", task: "rerank", ports: { "kserve-http": 8000 } });

async function withSessions(
  endpoints: readonly ReturnType<typeof endpoint>[],
  sessions: readonly (readonly [string, SessionKey])[],
): Promise<Deployment> {
  return (await deployGateway({ endpoints, sessions: new Map(sessions) })).deployment;
}

const balancing = (deployment: Deployment, policy: string) =>
  (specOf(deployment, "BackendTrafficPolicy", policy) as { readonly loadBalancer?: { readonly type: string } })
    .loadBalancer;

describe("sessions that stay at a replica", () => {
  it("are told by a header, of the models that ask for it alone", async () => {
    const deployment = await withSessions([legal, endpoint("chat")], [["legal", "header"]]);
    expect(balancing(deployment, "model-legal")).toEqual({
      type: "ConsistentHash",
      consistentHash: { type: "Headers", headers: [{ name: "x-session-id" }], tableSize: 65_537 },
    });
    expect(balancing(deployment, "model-chat")).toBeUndefined();
  });

  it("are told by a cookie that scripts, plain HTTP and pages of others do not see", async () => {
    const deployment = await withSessions([triton], [["ranking", "cookie"]]);
    expect(balancing(deployment, "kserve-ranking")).toMatchObject({
      consistentHash: {
        type: "Cookie",
        cookie: { name: "inference-session", ttl: "28800s", attributes: { Path: "/", Secure: "", SameSite: "Strict" } },
      },
    });
  });

  it("have a model of any name", async () => {
    const deployment = await withSessions([endpoint("constructor")], []);
    expect(balancing(deployment, "model-constructor")).toBeUndefined();
  });

  it.each([
    [0, true],
    [1, false],
    [20, false],
    [100, true],
  ])("stay while one revision answers all requests: canary at %i percent, %s", async (weight, stay) => {
    const deployment = await withSessions(
      [legal, canary(weight)],
      [
        ["legal", "header"],
        ["legal-canary", "header"],
      ],
    );
    expect(balancing(deployment, "model-legal")?.type).toBe(stay ? "ConsistentHash" : undefined);
    // On its own path a canary shares with nobody.
    expect(balancing(deployment, "model-legal-canary")?.type).toBe("ConsistentHash");
  });

  it("keep to what the CRDs know", async () => {
    const endpoints = [legal, canary(20), triton];
    const deployment = await withSessions(endpoints, [
      ["legal", "header"],
      ["ranking", "cookie"],
    ]);
    const made = ["Backend", "BackendTrafficPolicy"].flatMap((kind) => deployment.ofKind(kind));
    expect(made.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });
});

it("are told by a header of the clients' own, where it has another name", async () => {
  const { deployment } = await deployGateway({
    endpoints: [legal],
    sessions: new Map([["legal", "header"]]),
    sessionHeader: "x-user-id",
  });
  expect(balancing(deployment, "model-legal")).toMatchObject({ consistentHash: { headers: [{ name: "x-user-id" }] } });
});
