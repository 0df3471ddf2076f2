import { beforeAll, describe, expect, it } from "vitest";
import { gatewayProxies } from "../../components/gateway/names";
import { allows, type NetworkPolicy, type Pod, parsePolicy, rulesOf, weakestPod } from "../harness/network-policies";
import { changedRun, environments, type ProgramRun, programRun, sharedRun } from "./run";

const DIRECTIONS = ["Ingress", "Egress"] as const;

/** A port that no policy names, for rules that let through all. */
const SOME_PORT = { port: 65535, protocol: "TCP" as const };

/** Connections between pods of the platform that a policy grants, and whether both ends do. */
function connections(policies: readonly NetworkPolicy[]) {
  const ours = new Map<string, NetworkPolicy[]>();
  for (const policy of policies) {
    const { namespace } = policy.metadata;
    ours.set(namespace, [...(ours.get(namespace) ?? []), policy]);
  }
  const around = (...pods: readonly Pod[]) => pods.flatMap(({ namespace }) => ours.get(namespace) ?? []);
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
            both: allows(around(from, to), from, to, at),
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

const policiesOf = ({ deployment }: ProgramRun) =>
  deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map(({ inputs }) => parsePolicy(inputs));

/** Every environment whose pods are in a mesh, and aws-prod in both modes. */
describe.each([...environments.map((name) => [name, "ambient"] as const), ["aws-prod", "sidecar"] as const])(
  "connections of %s in a mesh of mode %s",
  (environment, mode) => {
    it("are granted at both ends, or at none", async () => {
      const run = await sharedRun(environment, { mesh: { mode } });
      const found = connections(policiesOf(run));
      expect(found.filter(({ granted }) => granted.includes(" istio-system:15012/TCP")).length).toBeGreaterThan(0);
      expect(found.filter(({ both }) => !both).map(({ granted }) => granted)).toEqual([]);
    });
  },
);

/** One test for each row of the table in docs/mesh.md, on aws-prod. */
describe("what NetworkPolicies let through for a mesh", () => {
  const pod = (namespace: string, labels: Readonly<Record<string, string>> = {}) => ({ namespace, labels });
  const tcp = (port: number) => ({ port, protocol: "TCP" as const });
  const istiod = pod("istio-system", { app: "istiod", istio: "pilot", "app.kubernetes.io/name": "istiod" });
  const ztunnel = pod("istio-system", { "app.kubernetes.io/name": "ztunnel" });
  const cni = pod("istio-system", { "app.kubernetes.io/name": "istio-cni" });
  const gateway = pod("inference-gateway", gatewayProxies.podLabels);
  const prometheus = pod("observability", { "app.kubernetes.io/name": "prometheus" });
  const apiServer = { address: "10.0.0.10" };
  const node = { address: "169.254.7.127" };
  let ambient: readonly NetworkPolicy[] = [];
  let sidecar: readonly NetworkPolicy[] = [];
  let off: readonly NetworkPolicy[] = [];
  let model = pod("model-llama-70b");
  beforeAll(async () => {
    off = policiesOf(await sharedRun("aws-prod", { mesh: { mode: "off" } }));
    ambient = policiesOf(await sharedRun("aws-prod", { mesh: { mode: "ambient" } }));
    sidecar = policiesOf(await sharedRun("aws-prod", { mesh: { mode: "sidecar" } }));
    const server = ambient.find(
      ({ metadata, spec }) =>
        metadata.namespace === "model-llama-70b" && Object.keys(spec.podSelector.matchLabels).length > 0,
    );
    model = pod("model-llama-70b", server?.spec.podSelector.matchLabels);
  }, 60_000);

  it("is the tunnel between members, where a connection is declared", () => {
    expect(allows(ambient, gateway, model, tcp(15008))).toBe(true);
    expect(allows(ambient, model, gateway, tcp(15008))).toBe(false);
    expect(allows(ambient, pod("model-embeddings"), model, tcp(15008))).toBe(false);
    expect(allows(sidecar, gateway, model, tcp(15008))).toBe(false);
    expect(allows(off, gateway, model, tcp(15008))).toBe(false);
  });

  it("is a connection's own port, as without a mesh", () => {
    for (const policies of [ambient, sidecar, off]) {
      expect(allows(policies, gateway, model, tcp(8000))).toBe(true);
      expect(allows(policies, prometheus, model, tcp(8000))).toBe(true);
    }
  });

  it("is probes of a node into members, in ambient mode", () => {
    expect(allows(ambient, node, model, tcp(8000))).toBe(true);
    expect(allows(ambient, node, pod("envoy-gateway-system"), tcp(8081))).toBe(true);
    expect(allows(ambient, { address: "169.254.7.128" }, model, tcp(8000))).toBe(false);
    expect(allows(ambient, node, pod("node-metrics"), tcp(9100))).toBe(false);
    expect(allows(sidecar, node, model, tcp(8000))).toBe(false);
  });

  it("is agents' way to the control plane, in ambient mode", () => {
    expect(allows(ambient, ztunnel, istiod, tcp(15012))).toBe(true);
    expect(allows(ambient, cni, istiod, tcp(15012))).toBe(false);
    expect(allows(ambient, model, istiod, tcp(15012))).toBe(false);
  });

  it("is sidecars' way to the control plane, in sidecar mode", () => {
    expect(allows(sidecar, model, istiod, tcp(15012))).toBe(true);
    expect(allows(sidecar, gateway, istiod, tcp(15012))).toBe(true);
    expect(allows(sidecar, prometheus, istiod, tcp(15012))).toBe(false);
    // On Ray, whose ports no sidecar knows.
    expect(allows(sidecar, pod("model-llama-8b"), istiod, tcp(15012))).toBe(false);
  });

  it("is the API server's calls of webhooks", () => {
    for (const policies of [ambient, sidecar]) {
      expect(allows(policies, apiServer, istiod, tcp(15017))).toBe(true);
      expect(allows(policies, apiServer, istiod, tcp(15012))).toBe(false);
      expect(allows(policies, apiServer, ztunnel, tcp(15017))).toBe(false);
    }
  });

  it("is the API, for the control plane and for what takes pods in", () => {
    for (const policies of [ambient, sidecar]) {
      expect(allows(policies, istiod, apiServer, tcp(443))).toBe(true);
      expect(allows(policies, cni, apiServer, tcp(443))).toBe(true);
      expect(allows(policies, ztunnel, apiServer, tcp(443))).toBe(false);
    }
  });

  it("is scrapes of control plane and agents", () => {
    expect(allows(ambient, prometheus, istiod, tcp(15014))).toBe(true);
    expect(allows(ambient, prometheus, cni, tcp(15014))).toBe(true);
    expect(allows(ambient, prometheus, ztunnel, tcp(15020))).toBe(true);
    expect(allows(ambient, model, istiod, tcp(15014))).toBe(false);
  });

  it("is names, for all of Istio's pods", () => {
    const dns = pod("kube-system", { "k8s-app": "kube-dns" });
    expect(allows(ambient, ztunnel, dns, { port: 53, protocol: "UDP" })).toBe(true);
  });
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
