import { describe, expect, it } from "vitest";
import { allows, type NetworkPolicy, parsePolicy, rulesOf, weakestPod } from "../harness/network-policies";
import { changedRun, environments, programRun } from "./run";

const DIRECTIONS = ["Ingress", "Egress"] as const;

/** A port that no policy names, for rules that let through all. */
const SOME_PORT = { port: 65535, protocol: "TCP" as const };

/** Connections between pods of the platform that a policy grants, and whether both ends do. */
function connections(policies: readonly NetworkPolicy[]) {
  const ours = new Set(policies.map(({ metadata }) => metadata.namespace));
  return policies.flatMap(({ metadata: { name, namespace }, spec }) =>
    DIRECTIONS.flatMap((direction) =>
      rulesOf(spec, direction).flatMap(({ peers, ports = [SOME_PORT] }) =>
        peers.flatMap((peer) => {
          // The pods with no other labels than those asked for: what these may do, all that are selected may.
          const own = { namespace, labels: spec.podSelector.matchLabels };
          const other = weakestPod(peer, namespace);
          if (other === undefined || !ours.has(other.namespace)) {
            return [];
          }
          const [from, to] = direction === "Egress" ? [own, other] : [other, own];
          return ports.map((at) => ({
            granted: `${direction} ${namespace}/${name} ${other.namespace}:${at.port}/${at.protocol}`,
            both: allows(policies, from, to, at),
          }));
        }),
      ),
    ),
  );
}

/** A connection needs both ends: what one namespace lets out, the other must let in, and nothing is let in that is not let out. */
describe.each(environments)("connections of %s", (environment) => {
  it("are granted at both ends, or at none", async () => {
    const { deployment } = await programRun(environment);
    const policies = deployment
      .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
      .map(({ inputs }) => parsePolicy(inputs));
    const found = connections(policies);
    expect(found.filter(({ granted }) => granted.startsWith("Ingress")).length).toBeGreaterThan(10);
    expect(found.filter(({ granted }) => granted.startsWith("Egress")).length).toBeGreaterThan(10);
    expect(found.filter(({ both }) => !both).map(({ granted }) => granted)).toEqual([]);
  });
});

it("connections of whoever counts for quotas are granted at both ends", async () => {
  const gateway = {
    hostname: "inference.example.com",
    tls: { kind: "acme", email: "platform@example.com" },
    consumers: { batch: { requestsPerMinute: 60 } },
  };
  const { deployment } = await changedRun("oci-a10", { gateway });
  const policies = deployment
    .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    .map(({ inputs }) => parsePolicy(inputs));
  const found = connections(policies);
  const granted = found.map((connection) => connection.granted).join("\n");
  for (const end of [
    /^Egress inference-gateway\/.* envoy-gateway-system:8081\/TCP$/m,
    /^Egress envoy-gateway-system\/.* envoy-gateway-system:18001\/TCP$/m,
    /^Egress envoy-gateway-system\/.* envoy-gateway-system:6379\/TCP$/m,
    /^Egress observability\/.* envoy-gateway-system:19001\/TCP$/m,
  ]) {
    expect(granted).toMatch(end);
  }
  expect(found.filter(({ both }) => !both)).toEqual([]);
});

describe("a connection that one end forgot", () => {
  const named = (namespace: string) => ({ matchLabels: { "kubernetes.io/metadata.name": namespace } });
  const closed = { podSelector: {}, policyTypes: ["Ingress", "Egress"] };
  const policy = (namespace: string, spec: object) => parsePolicy({ metadata: { name: "p", namespace }, spec });
  const ports = [{ port: 80, protocol: "TCP" }];

  it("is found from either side", () => {
    const out = policy("a", { ...closed, egress: [{ to: [{ namespaceSelector: named("b") }], ports }] });
    const into = policy("b", { ...closed, ingress: [{ from: [{ namespaceSelector: named("a") }], ports }] });
    expect(connections([out, policy("b", closed)])).toEqual([{ granted: "Egress a/p b:80/TCP", both: false }]);
    expect(connections([policy("a", closed), into])).toEqual([{ granted: "Ingress b/p a:80/TCP", both: false }]);
    expect(connections([out, into]).every(({ both }) => both)).toBe(true);
  });
});
