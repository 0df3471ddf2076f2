import { describe, expect, it } from "vitest";
import { agents } from "../../../cli/doctor/checks/agents";
import { facts, known, named, needs, workload } from "./made-up";

describe("agents of servers of others, and the chat page", () => {
  it("refuses an agent of another server's registration where the environment installs its own, and no other", () => {
    const deployments = known([
      workload("rancher/rancher-agent:v2.14.4", { name: "cattle-cluster-agent", namespace: "cattle-system" }),
    ]);
    const own = known([named("cattle-system")]);
    const statusesOf = (found: Parameters<typeof facts>[0]) =>
      agents(facts(found), needs({ agents: ["rancher", "portainer"] })).map(({ title, status }) => [title, status]);
    expect(statusesOf({ deployments })).toEqual([
      ["Rancher's agent", "failed"],
      ["Portainer's agent", "passed"],
    ]);
    expect(statusesOf({ deployments, ownNamespaces: own })[0]).toEqual(["Rancher's agent", "passed"]);
    expect(agents(facts({ deployments }), needs())).toEqual([]);
  });

  it("refuses another chat page where the environment's own would have its names, and nowhere else", () => {
    const page = (namespace: string) =>
      known([workload("ghcr.io/open-webui/open-webui:v0.9.0", { name: "open-webui", namespace })]);
    const statusOf = (found: Parameters<typeof facts>[0]) =>
      agents(facts(found), needs({ agents: ["openWebUi"] })).map(({ title, status }) => [title, status]);
    expect(statusOf({ statefulSets: page("open-webui") })).toEqual([["Chat page", "failed"]]);
    expect(statusOf({ deployments: page("open-webui") })).toEqual([["Chat page", "failed"]]);
    expect(statusOf({ statefulSets: page("team-chat") })).toEqual([["Chat page", "passed"]]);
    const ownNamespaces = known([named("open-webui")]);
    expect(statusOf({ statefulSets: page("open-webui"), ownNamespaces })).toEqual([["Chat page", "passed"]]);
    expect(statusOf({ statefulSets: { known: false, reason: "no answer", forbidden: false } })).toEqual([
      ["Chat page", "unknown"],
    ]);
  });
});
