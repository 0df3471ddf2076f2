import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Connections, connect, type End } from "../../../components/core/connections";
import { meshMembership } from "../../../components/mesh/membership";
import { modelPods, requestRules, waypointNamespaces } from "../../../components/mesh/requests";
import { issuerConnections } from "../../../components/mesh/tokens";
import { waypointConnections } from "../../../components/mesh/waypoint";
import { admits, authorizes } from "../../harness/istio-policies";

const NAMESPACE = "model-chat";
const engine = { namespace: NAMESPACE, podLabels: { app: "engine" } };
const proxy = { namespace: "gateway", podLabels: { app: "proxy" }, serviceAccount: "proxy" };
const prometheus = { namespace: "monitoring", podLabels: { app: "prometheus" }, serviceAccount: "prometheus" };
const issuer = {
  issuer: "https://login.example.com/realms/one",
  audience: "inference",
  jwks: { url: "https://login.example.com:8443/keys" },
  tenantClaim: "tenant",
};
const members = (mode: "ambient" | "sidecar") => ({
  mode,
  inside: [NAMESPACE, "gateway", "monitoring"],
  outsiders: [],
  isInMesh: (namespace: string) => [NAMESPACE, "gateway", "monitoring"].includes(namespace),
});
const declared = new Connections([
  connect({ name: "requests", reason: "r", from: proxy, to: engine, ports: [8000] }),
  connect({ name: "series", reason: "s", from: prometheus, to: engine, ports: [9081] }),
]);
const models = modelPods([{ ...engine, ports: { openai: 8000, grpc: undefined }, node: { port: 9080 } }]);

function guards(mode: "ambient" | "sidecar", connections = declared) {
  const rules = requestRules(mode, undefined, issuer);
  const waypoints = waypointNamespaces(models, rules, connections, members(mode));
  return meshMembership(members(mode), connections, { rules, models, waypoints });
}

describe("rules about requests", () => {
  it("have a limit where proxies see requests anyway, or the environment writes one", () => {
    expect(requestRules("sidecar", undefined, undefined)).toEqual({ requestsPerSecond: 10_000 });
    expect(requestRules("ambient", undefined, undefined)).toEqual({});
    expect(requestRules("ambient", 7, undefined)).toEqual({ requestsPerSecond: 7 });
    expect(requestRules("ambient", undefined, issuer)).toEqual({ requestsPerSecond: 10_000, tokenIssuer: issuer });
  });

  it("hold at all ports of requests, of models that share pods once", () => {
    expect(
      modelPods([
        { ...engine, ports: { openai: 8000 } },
        { ...engine, ports: { "kserve-http": 8001 } },
      ]),
    ).toEqual([{ ...engine, ports: [8000, 8001] }]);
  });

  it("lead pods of a model's namespace through its waypoint", () => {
    expect(guards("ambient").labelsOf(NAMESPACE)).toEqual({
      "istio.io/dataplane-mode": "ambient",
      "istio.io/use-waypoint": "waypoint",
    });
    expect(guards("ambient").labelsOf("gateway")).toEqual({ "istio.io/dataplane-mode": "ambient" });
    expect(
      guards("ambient")
        .proxiesOf(NAMESPACE)
        .map(({ kind, name }) => `${kind} ${name}`),
    ).toEqual(["Gateway waypoint"]);
    expect(guards("sidecar").labelsOf(NAMESPACE)).toEqual({ "istio-injection": "enabled" });
    expect(guards("sidecar").proxiesOf(NAMESPACE)).toEqual([]);
  });

  it.each<[string, End, End, number[] | undefined]>([
    ["connect to each other", engine, engine, [8000]],
    ["take connections at any port", proxy, engine, undefined],
    ["are of two kinds", proxy, { namespace: NAMESPACE, podLabels: { app: "other" } }, [1]],
  ])("have no waypoint where pods %s", (_, from, to, ports) => {
    const more = connect({ name: "more", reason: "m", from, to, ...(ports && { ports }) });
    const membership = guards("ambient", new Connections([...declared.all, more]));
    expect(membership.labelsOf(NAMESPACE)).toEqual({ "istio.io/dataplane-mode": "ambient" });
    expect(membership.proxiesOf(NAMESPACE)).toEqual([]);
  });

  it("ask whoever has no declared connection for a token, at ports of requests alone", () => {
    const found = guards("ambient").guardsOf(NAMESPACE);
    expect(found.find(({ kind }) => kind === "RequestAuthentication")?.spec).toEqual({
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
      jwtRules: [
        {
          issuer: "https://login.example.com/realms/one",
          audiences: ["inference"],
          jwksUri: "https://login.example.com:8443/keys",
          forwardOriginalToken: false,
        },
      ],
    });
    expect(found.find(({ name }) => name === "allow-tokens")?.spec).toMatchObject({
      rules: [
        {
          from: [{ source: { requestPrincipals: ["https://login.example.com/realms/one/*"] } }],
          to: [{ operation: { ports: ["8000", "9080"] } }],
        },
      ],
    });
    const atSidecars = guards("sidecar").guardsOf(NAMESPACE);
    expect(atSidecars.find(({ kind }) => kind === "RequestAuthentication")?.spec).toMatchObject({
      selector: { matchLabels: { app: "engine" } },
    });
  });

  it("open the ways that waypoints and keys need", () => {
    const connections = [
      ...waypointConnections([NAMESPACE], declared, members("ambient")),
      ...issuerConnections(issuer, { privateCidrs: [] }),
    ];
    const pods = {
      namespace: NAMESPACE,
      podLabels: { "gateway.networking.k8s.io/gateway-class-name": "istio-waypoint" },
    };
    expect(connections.map(({ name, from, to, ports }) => ({ name, from, to, ports }))).toMatchObject([
      { name: "callers-to-waypoint-of-model-chat", from: [proxy, prometheus], to: [pods], ports: [{ port: 15008 }] },
      { name: "waypoint-to-model-chat", from: [pods], to: [engine], ports: [{ port: 15008 }] },
      { name: "waypoints-to-istiod", from: [pods], ports: [{ port: 15012 }] },
      { name: "istiod-to-token-issuer", ports: [{ port: 8443 }] },
    ]);
  });
});

it("a waypoint and the agents behind it let through together what is declared, and nobody comes past the waypoint", () => {
  const found = guards("ambient").guardsOf(NAMESPACE);
  const labels = { app: "engine" };
  const atWaypoint = found.flatMap((each) =>
    each.name === "allow-through-waypoint" ? [{ ...each, spec: { ...each.spec, targetRefs: undefined } }] : [],
  );
  const atPods = found.filter(({ spec }) => !JSON.stringify(spec).includes("targetRefs"));
  const waypoint = { address: "10.0.0.9", identity: { namespace: NAMESPACE, account: "waypoint" } };
  fc.assert(
    fc.property(
      fc.constantFrom("gateway", "monitoring", NAMESPACE),
      fc.constantFrom("proxy", "prometheus", "default"),
      fc.constantFrom(8000, 9081, 22),
      (namespace, account, port) => {
        const caller = { address: "10.0.0.1", identity: { namespace, account } };
        const isDeclared =
          (namespace === "gateway" && account === "proxy" && port === 8000) ||
          (namespace === "monitoring" && account === "prometheus" && port === 9081);
        expect(authorizes(atWaypoint, {}, caller, port) && admits(atPods, labels, waypoint, port)).toBe(isDeclared);
        expect(admits(atPods, labels, caller, port)).toBe(false);
      },
    ),
  );
});
