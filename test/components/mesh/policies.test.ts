import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Connection, Connections, connect, type End, isPods, podsIn } from "../../../components/core/connections";
import { authorizationPolicies } from "../../../components/mesh/authorization-policies";
import { peerAuthentications } from "../../../components/mesh/peer-authentications";
import { admits, type Caller, lies, selects } from "../../harness/istio-policies";

const MESH = { isInMesh: (namespace: string) => namespace === "models" || namespace === "gateway" };
const NAMESPACE = "models";

const engine = { namespace: NAMESPACE, podLabels: { app: "engine" } };
const gateway = { namespace: "gateway", podLabels: { app: "proxy" }, serviceAccount: "proxy" };

function guardsOf(...connections: readonly Connection[]) {
  const declared = new Connections(connections);
  return [...peerAuthentications(NAMESPACE, declared, MESH), ...authorizationPolicies(NAMESPACE, declared, MESH)];
}

function between(from: End | readonly End[], to: End, ports?: readonly number[], name = "a-to-b"): Connection {
  return connect({ name, reason: "Because", from, to, ...(ports && { ports }) });
}

describe("a namespace in the mesh", () => {
  it("takes no connection at all where none is declared", () => {
    expect(guardsOf().map(({ kind, name, spec }) => ({ kind, name, spec }))).toEqual([
      { kind: "PeerAuthentication", name: "default", spec: { mtls: { mode: "STRICT" } } },
      { kind: "AuthorizationPolicy", name: "default-deny", spec: { action: "ALLOW" } },
    ]);
  });

  it("knows pods of the mesh by their account, and by their namespace where nobody says it", () => {
    const [, , allow] = guardsOf(between([gateway, podsIn("gateway")], engine, [8000]));
    expect(allow).toEqual({
      apiVersion: "security.istio.io/v1",
      kind: "AuthorizationPolicy",
      name: "allow-engine",
      annotations: {
        "kubernetes.io/description": "Who connects to these pods, besides those who connect to every pod here",
        "inference-stacks.io/connections": "in a-to-b: Because",
      },
      spec: {
        selector: { matchLabels: { app: "engine" } },
        action: "ALLOW",
        rules: [
          {
            from: [
              { source: { principals: ["cluster.local/ns/gateway/sa/proxy"] } },
              { source: { namespaces: ["gateway"] } },
            ],
            to: [{ operation: { ports: ["8000"] } }],
          },
        ],
      },
    });
  });

  it("takes plain connections at the ports alone where somebody outside connects, and there from nobody with an identity", () => {
    const [, plain, , allow] = guardsOf(
      between([{ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }, podsIn("elsewhere")], engine, [9443]),
      between(gateway, engine, [8000], "c-to-d"),
    );
    expect(plain).toMatchObject({
      name: "plain-at-engine",
      spec: {
        selector: { matchLabels: { app: "engine" } },
        mtls: { mode: "STRICT" },
        portLevelMtls: { "9443": { mode: "PERMISSIVE" } },
      },
    });
    expect(allow?.spec).toMatchObject({
      rules: [
        {
          from: [
            { source: { notPrincipals: ["*"] } },
            { source: { notPrincipals: ["*"], ipBlocks: ["10.0.0.0/8"], notIpBlocks: ["10.1.0.0/16"] } },
          ],
          to: [{ operation: { ports: ["9443"] } }],
        },
        { to: [{ operation: { ports: ["8000"] } }] },
      ],
    });
  });

  it("asks nobody who he is where everybody may come", () => {
    const [, , , allow] = guardsOf(between({ anyone: true }, engine, [443]));
    expect(allow?.spec).toMatchObject({ rules: [{ to: [{ operation: { ports: ["443"] } }] }] });
    expect(JSON.stringify(allow?.spec)).not.toContain("from");
  });

  it("waives mutual TLS once for selections that one pod may belong to", () => {
    const wider = { namespace: NAMESPACE, podLabels: { app: "engine", role: "leader" } };
    const guards = guardsOf(
      between({ cidr: "10.0.0.0/8" }, engine, [1], "one"),
      between({ cidr: "10.0.0.0/8" }, wider, [2], "two"),
      between({ cidr: "10.0.0.0/8" }, { namespace: NAMESPACE, podLabels: { app: "store" } }, [3], "three"),
    );
    expect(guards.flatMap(({ kind, spec }) => (kind === "PeerAuthentication" ? [spec] : []))).toEqual([
      { mtls: { mode: "STRICT" } },
      {
        selector: { matchLabels: { app: "store" } },
        mtls: { mode: "STRICT" },
        portLevelMtls: { 3: { mode: "PERMISSIVE" } },
      },
      {
        selector: { matchLabels: { app: "engine" } },
        mtls: { mode: "STRICT" },
        portLevelMtls: { 1: { mode: "PERMISSIVE" }, 2: { mode: "PERMISSIVE" } },
      },
    ]);
  });

  it("has no rule for what no mesh carries", () => {
    const udp = connect({ name: "u", reason: "r", from: gateway, to: engine, ports: [{ port: 53, protocol: "UDP" }] });
    expect(guardsOf(udp).map(({ name }) => name)).toEqual(["default", "default-deny"]);
  });

  it.each<[string, Connection, string]>([
    [
      "all ports",
      between({ cidr: "10.0.0.0/8" }, engine),
      'connection "a-to-b" leads from outside of the mesh to all ports',
    ],
    ["all pods", between({ cidr: "10.0.0.0/8" }, podsIn(NAMESPACE), [9443]), 'namespace "models": a workload outside'],
  ])("cannot be opened from outside at %s", (_, connection, message) => {
    expect(() => guardsOf(connection)).toThrow(message);
  });
});

/** Few enough values that selections overlap, and callers often meet what is declared. */
const app = fc.constantFrom("engine", "store");
const someLabels = fc.record({ app, tier: fc.constantFrom("a", "b") }, { requiredKeys: ["app"] });
const account = fc.constantFrom("proxy", "reader");
const inside: fc.Arbitrary<End> = fc.record(
  { namespace: fc.constantFrom("models", "gateway"), podLabels: fc.constant({ app: "x" }), serviceAccount: account },
  { requiredKeys: ["namespace", "podLabels"] },
);
const outside = fc.oneof<fc.Arbitrary<End>[]>(
  fc.constant({ namespace: "elsewhere", podLabels: { app: "x" } }),
  fc.constant({ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }),
  fc.constant({ cidr: "192.168.0.0/16" }),
  fc.constant({ anyone: true }),
  fc.constant({ anyNamespace: true }),
);
const port = fc.constantFrom(80, 443, 9000);
const ports = fc.uniqueArray(port, { minLength: 1, maxLength: 3 });
const declared = fc
  .array(
    fc.oneof(
      fc.record({
        from: fc.array(fc.oneof(inside, outside), { minLength: 1, maxLength: 3 }),
        labels: someLabels,
        ports,
      }),
      // Only members connect to all pods, or to all ports.
      fc.record({
        from: fc.array(inside, { minLength: 1, maxLength: 2 }),
        labels: fc.oneof(someLabels, fc.constant({})),
        ports: fc.option(ports, { nil: undefined }),
      }),
    ),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map(({ from, labels, ports: at }, i) =>
      between(from, { namespace: NAMESPACE, podLabels: labels }, at, `c${i}`),
    ),
  );
const caller: fc.Arbitrary<Caller> = fc.record(
  {
    address: fc.constantFrom("10.2.0.1", "10.1.0.1", "192.168.7.7", "203.0.113.1"),
    identity: fc.record({ namespace: fc.constantFrom("models", "gateway", "stranger"), account }),
  },
  { requiredKeys: ["address"] },
);

/** What the connections say of a caller, by what a mesh can know of it. */
function isDeclared(connections: readonly Connection[], labels: object, { address, identity }: Caller, at: number) {
  return connections.some(
    ({ from, to, ports: open }) =>
      (open?.some((each) => each.port === at) ?? true) &&
      to.some((end) => isPods(end) && end.namespace === NAMESPACE && selects(end.podLabels, { ...labels })) &&
      from.some((end) => {
        if ("cidr" in end) {
          return !identity && lies(address, end.cidr) && !end.except?.some((hole) => lies(address, hole));
        }
        if (!isPods(end)) {
          return true;
        }
        return MESH.isInMesh(end.namespace)
          ? identity?.namespace === end.namespace && (end.serviceAccount ?? identity.account) === identity.account
          : !identity;
      }),
  );
}

it("the mesh lets through what is declared, and nothing else", () => {
  const seen = { yes: 0, no: 0 };
  fc.assert(
    fc.property(declared, someLabels, caller, port, (connections, labels, from, at) => {
      const expected = isDeclared(connections, labels, from, at);
      seen[expected ? "yes" : "no"] += 1;
      expect(admits(guardsOf(...connections), { ...labels, more: "of them" }, from, at)).toBe(expected);
    }),
    { numRuns: 1000 },
  );
  // Both answers were asked for often.
  expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(100);
});
