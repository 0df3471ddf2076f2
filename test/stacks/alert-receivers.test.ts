import { describe, expect, it } from "vitest";
import { type Address, allows, type NetworkPolicy, parsePolicy } from "../harness/network-policies";
import { changedRun, type EnvironmentName, programRun } from "./run";

const ALERTMANAGER = { namespace: "observability", labels: { "app.kubernetes.io/name": "alertmanager" } };
const PROMETHEUS = { namespace: "observability", labels: { "app.kubernetes.io/name": "prometheus" } };

async function policiesOf(run: ReturnType<typeof programRun>): Promise<NetworkPolicy[]> {
  const { deployment } = await run;
  return deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map(({ inputs }) => parsePolicy(inputs));
}

const reaches = (policies: readonly NetworkPolicy[], to: Address, port: number, from = ALERTMANAGER) =>
  allows(policies, from, to, { port, protocol: "TCP" });

/** An air-gapped site: a receiver in its own network, and the heartbeat's service beside it. */
const SITE = {
  alerts: {
    webhook: { networks: ["10.0.0.5/32"], port: 8080 },
    heartbeat: { networks: ["10.0.0.6/32"], port: 8443 },
  },
};

describe("NetworkPolicies around Alertmanager", () => {
  it("let it reach receivers of a private network at their ports, and nothing beside them", async () => {
    const policies = await policiesOf(changedRun("edge-nvidia", { observability: SITE }));
    expect(reaches(policies, { address: "10.0.0.5" }, 8080)).toBe(true);
    expect(reaches(policies, { address: "10.0.0.6" }, 8443)).toBe(true);
    expect(reaches(policies, { address: "10.0.0.5" }, 8443)).toBe(false);
    expect(reaches(policies, { address: "10.0.0.7" }, 8080)).toBe(false);
    expect(reaches(policies, { address: "203.0.113.1" }, 443)).toBe(false);
    expect(reaches(policies, { address: "10.0.0.5" }, 8080, PROMETHEUS)).toBe(false);
  });

  it.each<[EnvironmentName, Address, number]>([
    ["edge-radeon", { address: "192.168.1.25" }, 587],
    ["oci-a10", { address: "203.0.113.1" }, 587],
    ["aws-prod", { address: "203.0.113.1" }, 443],
  ])("of %s let it reach the receivers of the file", async (environment, to, port) => {
    expect(reaches(await policiesOf(programRun(environment)), to, port)).toBe(true);
  });
});

describe("rendered rules and values", () => {
  it("name environment and cluster on every alert, and lead to the runbook's URL", async () => {
    const { deployment } = await programRun("aws-prod");
    const values = JSON.stringify(
      deployment.ofType("kubernetes:helm.sh/v3:Release").map(({ inputs }) => inputs.values),
    );
    expect(values).toContain('"externalLabels":{"cluster":"aws","environment":"aws-prod"}');
    const [rule] = deployment.ofKind("PrometheusRule");
    expect(JSON.stringify(rule?.inputs)).toContain(
      "https://git.example.com/platform/inference-stacks/blob/main/docs/operations.md#modelunavailable",
    );
  });
});
