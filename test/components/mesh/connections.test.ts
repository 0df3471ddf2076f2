import { describe, expect, it } from "vitest";
import { type Connection, connect, podsIn } from "../../../components/core/connections";
import { withMesh } from "../../../components/mesh/connections";
import { type Members, meshMembers } from "../../../components/mesh/members";
import { byName, NETWORKS } from "../../harness/connections";

const members = (mode: Members["mode"], declared: readonly Connection[]) =>
  meshMembers({ mode, namespaces: ["a", "b", "istio-system", "node-metrics"], declared, models: [] });

const meshed = (mode: Members["mode"], ...declared: Connection[]) =>
  byName(withMesh(declared, members(mode, declared), NETWORKS));

const reason = "They need it";
const between = (
  name: string,
  from: Connection["from"],
  to: Connection["to"],
  ports?: (number | { port: number; protocol: "UDP" })[],
) => connect({ name, reason, from, to, ...(ports && { ports }) });

const tunnel = { port: 15008 };
const a = { namespace: "a", podLabels: { app: "a" } };
const b = { namespace: "b", podLabels: { app: "b" } };
const elsewhere = { namespace: "somebody-elses", podLabels: {} };

describe("connections in ambient mode", () => {
  it("between members have the tunnel beside their own ports", () => {
    expect(meshed("ambient", between("a-to-b", [a], [b], [80]))["a-to-b"]).toEqual({
      from: [a],
      to: [b],
      ports: [{ port: 80 }, tunnel],
    });
  });

  it("where one end is outside, of another's or of nobody's namespace, stay as they are", () => {
    const declared = [
      between("from-outside", [elsewhere], [b], [80]),
      between("to-outside", [a], [podsIn("node-metrics")], [9100]),
      between("from-network", [{ cidr: "10.0.0.0/8" }], [b], [80]),
      between("from-anyone", [{ anyone: true }], [b], [80]),
      between("from-anywhere", [{ anyNamespace: true }], [b], [80]),
      between("udp", [a], [b], [{ port: 9094, protocol: "UDP" }]),
      between("all-ports", [a], [b]),
    ];
    const after = meshed("ambient", ...declared);
    for (const { name, from, to, ports } of declared) {
      expect(after[name], name).toEqual({ from, to, ports });
      expect(after, name).not.toHaveProperty(`${name}-tunnel`);
    }
  });

  it("with ends of both kinds open the tunnel to members alone", () => {
    const after = meshed("ambient", between("mixed", [a, elsewhere], [b], [80]));
    expect(after.mixed).toEqual({ from: [a, elsewhere], to: [b], ports: [{ port: 80 }] });
    expect(after["mixed-tunnel"]).toEqual({ from: [a], to: [b], ports: [tunnel] });
  });

  it("let probes in from the address that agents give them, into every namespace of the mesh", () => {
    expect(meshed("ambient")["probes-to-mesh"]).toEqual({
      from: [{ cidr: "169.254.7.127/32" }],
      to: [podsIn("a"), podsIn("b")],
      ports: undefined,
    });
    const { from } = byName(withMesh([], members("ambient", []), { ...NETWORKS, privateCidrs: ["fd00:1::/48"] }))[
      "probes-to-mesh"
    ] ?? { from: [] };
    expect(from).toEqual([{ cidr: "169.254.7.127/32" }, { cidr: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff/128" }]);
  });

  it("lead agents to the control plane, and nobody else", () => {
    const istiod = { namespace: "istio-system", podLabels: { app: "istiod" } };
    const ztunnel = { namespace: "istio-system", podLabels: { "app.kubernetes.io/name": "ztunnel" } };
    const after = meshed("ambient");
    expect(after["ztunnel-to-istiod"]).toEqual({ from: [ztunnel], to: [istiod], ports: [{ port: 15012 }] });
    expect(after["kubernetes-api-to-mesh"]).toMatchObject({ to: [istiod], ports: [{ port: 15017 }] });
    expect(after["mesh-to-kubernetes-api"]?.from).toEqual([
      istiod,
      { namespace: "istio-system", podLabels: { "app.kubernetes.io/name": "istio-cni" } },
    ]);
    expect(Object.keys(after)).toHaveLength(4);
  });

  it("let callers have the address of istiod's Service on EKS, where it selects by all labels of the policy", () => {
    // istio/istio 1.30.3, istiod chart, templates/service.yaml, without a revision.
    const service = { app: "istiod", istio: "pilot" };
    const to = meshed("ambient")["ztunnel-to-istiod"]?.to ?? [];
    expect(to).toHaveLength(1);
    for (const end of to) {
      expect(service).toMatchObject("podLabels" in end ? end.podLabels : { none: "no pods" });
    }
  });
});

describe("connections in sidecar mode", () => {
  it("keep their ports, which carry the encryption too", () => {
    const declared = between("a-to-b", [a], [b], [80]);
    const { from, to, ports } = declared;
    expect(meshed("sidecar", declared)["a-to-b"]).toEqual({ from, to, ports });
  });

  it("lead every pod of the mesh to the control plane, and let no probe in by another address", () => {
    const after = meshed("sidecar");
    expect(after["sidecars-to-istiod"]).toEqual({
      from: [podsIn("a"), podsIn("b")],
      to: [{ namespace: "istio-system", podLabels: { app: "istiod" } }],
      ports: [{ port: 15012 }],
    });
    expect(Object.keys(after).toSorted()).toEqual([
      "kubernetes-api-to-mesh",
      "mesh-to-kubernetes-api",
      "sidecars-to-istiod",
    ]);
  });
});
