import { describe, expect, it } from "vitest";
import { type ConnectArgs, Connections, connect, podsIn } from "../../../components/core/connections";
import { networkPolicies } from "../../../components/core/network-policies";

const web = { namespace: "web", podLabels: { app: "web", tier: "front" }, serviceAccount: "web" };
const database = { namespace: "data", podLabels: { app: "db" } };
const query: ConnectArgs = {
  name: "web-to-data",
  reason: "Pages are made of it",
  from: web,
  to: database,
  ports: [5432],
};

describe("connect", () => {
  it("keeps of each end what policies and a mesh read, and no more", () => {
    expect(connect({ ...query, to: [{ ...database, port: 1 } as typeof database] })).toEqual({
      name: "web-to-data",
      reason: "Pages are made of it",
      from: [web],
      to: [database],
      ports: [{ port: 5432 }],
    });
  });

  it.each<[string, Partial<ConnectArgs>]>([
    ["has no end", { from: [] }],
    ["has no end", { to: [] }],
    ["has no port", { ports: [] }],
    ["goes to anyone", { to: { anyone: true } }],
    ["has no pods at either end", { from: { cidr: "10.0.0.0/8" }, to: { anyNamespace: true } }],
  ])("refuses one that %s", (problem, change) => {
    expect(() => connect({ ...query, ...change })).toThrow(`connection "web-to-data" ${problem}`);
  });
});

describe("Connections", () => {
  it("refuses two of one name: an auditor could not tell them apart", () => {
    expect(() => new Connections([connect(query), connect(query)])).toThrow('two connections are named "web-to-data"');
  });

  it("gives each namespace its part, for each selection of pods once, however its labels are ordered", () => {
    const admin = connect({
      ...query,
      name: "web-to-web",
      to: { namespace: "web", podLabels: { tier: "front", app: "web" } },
    });
    const connections = new Connections([connect(query), admin]);
    const all = { podLabels: {}, incoming: [], outgoing: [] };
    expect(connections.of("web").map((part) => [part.podLabels, part.incoming, part.outgoing])).toEqual([
      [all.podLabels, all.incoming, all.outgoing],
      [web.podLabels, [admin], [connect(query), admin]],
    ]);
    expect(connections.of("data")).toEqual([
      all,
      { podLabels: database.podLabels, incoming: [connect(query)], outgoing: [] },
    ]);
    expect(connections.of("elsewhere")).toEqual([all]);
  });
});

describe("networkPolicies", () => {
  const dns = expect.objectContaining({
    ports: [
      { port: 53, protocol: "UDP" },
      { port: 53, protocol: "TCP" },
    ],
  });
  const policiesOf = (namespace: string, ...connections: ConnectArgs[]) =>
    networkPolicies(namespace, new Connections(connections.map(connect)));

  it("closes a namespace in both directions, whoever connects or not", () => {
    for (const connections of [undefined, new Connections([connect(query)])]) {
      const [first] = networkPolicies("data", connections);
      expect(first).toMatchObject({
        name: "default-deny",
        spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"], egress: [dns] },
      });
      expect(first?.spec).not.toHaveProperty("ingress");
    }
  });

  it("grants both ends from one declaration, with the names of the connections in sight", () => {
    expect(policiesOf("web", query)[1]).toEqual({
      name: "allow-web-front",
      annotations: {
        "kubernetes.io/description": "The connections of these pods, besides those of every pod here",
        "inference-stacks.io/connections": "out web-to-data: Pages are made of it",
      },
      spec: {
        podSelector: { matchLabels: web.podLabels },
        policyTypes: ["Egress"],
        egress: [
          {
            to: [
              {
                namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "data" } },
                podSelector: { matchLabels: { app: "db" } },
              },
            ],
            ports: [{ port: 5432, protocol: "TCP" }],
          },
        ],
      },
    });
    expect(policiesOf("data", query)[1]?.spec).toEqual({
      podSelector: { matchLabels: { app: "db" } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "web" } },
              podSelector: { matchLabels: web.podLabels },
            },
          ],
          ports: [{ port: 5432, protocol: "TCP" }],
        },
      ],
    });
  });

  it("makes one policy for each selection of pods, not for each connection", () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ ...query, name: `web-to-data-${i}`, ports: [1000 + i] }));
    const policies = policiesOf("data", ...many);
    expect(policies.map(({ name }) => name)).toEqual(["default-deny", "allow-db"]);
    expect(policies[1]?.spec.ingress).toHaveLength(40);
    // One line for one reason: annotations have a limit of 256 KiB altogether.
    expect(policies[1]?.annotations["inference-stacks.io/connections"]?.split("\n")).toEqual([
      expect.stringMatching(/^in web-to-data-0, web-to-data-1, .*web-to-data-39: Pages are made of it$/),
    ]);
  });

  it("writes pods of the own namespace, of any, addresses and everybody as Kubernetes reads them", () => {
    const others = { ...query, from: podsIn("data"), ports: undefined };
    const [all] = policiesOf(
      "data",
      { ...others, name: "own", to: podsIn("data") },
      { ...others, name: "any", to: { anyNamespace: true } },
      { ...others, name: "nodes", to: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
    );
    expect(all?.spec.egress).toEqual([
      dns,
      { to: [{ podSelector: {} }] },
      { to: [{ namespaceSelector: {} }] },
      { to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }] },
    ]);
    expect(all?.spec.ingress).toEqual([{ from: [{ podSelector: {} }] }]);
    const [, open] = policiesOf("data", { ...query, from: [{ anyone: true }, web] });
    expect(open?.spec.ingress).toEqual([{ ports: [{ port: 5432, protocol: "TCP" }] }]);
  });

  it.each([
    [{ a: "minio", b: "minio" }, "allow-minio"],
    [
      { "app.kubernetes.io/name": "cert-manager", "app.kubernetes.io/component": "controller" },
      "allow-cert-manager-controller",
    ],
    [{ gateway: "inference", namespace: "inference-gateway" }, "allow-inference-gateway"],
    [{ "acme.cert-manager.io/http01-solver": "true" }, "allow-http01-solver"],
    [{ app: "Some_App.v2" }, "allow-some-app-v2"],
  ])("names the policy of %j %s", (podLabels, name) => {
    expect(policiesOf("data", { ...query, to: { namespace: "data", podLabels } })[1]?.name).toBe(name);
  });

  it("refuses selections that read alike", () => {
    const twice = { ...query, to: [database, { namespace: "data", podLabels: { role: "db" } }] };
    expect(() => policiesOf("data", twice)).toThrow("selects different pods by labels that read alike: allow-db");
  });
});
