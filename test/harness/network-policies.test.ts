import { describe, expect, it } from "vitest";
import { allows, parsePolicy } from "./network-policies";

const named = (namespace: string) => ({ matchLabels: { "kubernetes.io/metadata.name": namespace } });
const policy = (namespace: string, spec: object) => parsePolicy({ metadata: { name: "p", namespace }, spec });
const closed = (namespace: string) => policy(namespace, { podSelector: {}, policyTypes: ["Ingress", "Egress"] });

const web = { namespace: "web", labels: { app: "web" } };
const database = { namespace: "data", labels: { app: "db" } };
const out = policy("web", {
  podSelector: { matchLabels: { app: "web" } },
  policyTypes: ["Egress"],
  egress: [
    {
      to: [{ namespaceSelector: named("data"), podSelector: { matchLabels: { app: "db" } } }],
      ports: [{ port: 5432, protocol: "TCP" }],
    },
    { to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }], ports: [{ port: 443, protocol: "TCP" }] },
  ],
});
const into = policy("data", {
  podSelector: {},
  policyTypes: ["Ingress"],
  ingress: [{ from: [{ namespaceSelector: named("web") }] }],
});
const everything = [closed("web"), closed("data"), out, into];
const tcp = (port: number) => ({ port, protocol: "TCP" as const });

describe("allows", () => {
  it("needs both ends, the pods and the port", () => {
    expect(allows(everything, web, database, tcp(5432))).toBe(true);
    expect(allows([closed("web"), closed("data"), out], web, database, tcp(5432))).toBe(false);
    expect(allows([closed("web"), closed("data"), into], web, database, tcp(5432))).toBe(false);
    expect(allows(everything, web, database, tcp(5433))).toBe(false);
    expect(allows(everything, web, database, { port: 5432, protocol: "UDP" })).toBe(false);
    expect(allows(everything, web, { ...database, labels: {} }, tcp(5432))).toBe(false);
    expect(allows(everything, { ...web, labels: {} }, database, tcp(5432))).toBe(false);
    expect(allows(everything, { ...web, namespace: "other" }, database, tcp(5432))).toBe(false);
    expect(allows(everything, database, web, tcp(5432))).toBe(false);
  });

  it("closes nothing that no policy selects", () => {
    expect(allows([], web, database, tcp(1))).toBe(true);
    expect(allows([out], database, web, tcp(1))).toBe(true);
  });

  it("knows networks with their holes, by family", () => {
    expect(allows(everything, web, { address: "203.0.113.1" }, tcp(443))).toBe(true);
    expect(allows(everything, web, { address: "10.1.2.3" }, tcp(443))).toBe(false);
    expect(allows(everything, web, { address: "2001:db8::1" }, tcp(443))).toBe(false);
    expect(allows(everything, { address: "203.0.113.1" }, database, tcp(1))).toBe(false);
  });

  it("takes a peer without namespace for one of the policy's own, no peers for everybody, no ports for all", () => {
    const own = policy("data", {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ podSelector: {} }] }],
    });
    expect(allows([own], { ...database, labels: {} }, database, tcp(1))).toBe(true);
    expect(allows([own], web, database, tcp(1))).toBe(false);
    const open = policy("data", {
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [{ from: [], ports: [tcp(80)] }],
    });
    expect(allows([open], { address: "203.0.113.1" }, database, tcp(80))).toBe(true);
    expect(allows([open], web, database, tcp(81))).toBe(false);
  });

  it("refuses what it would have to guess at", () => {
    const expression = { from: [{ podSelector: {}, ports: [] }] };
    expect(() => policy("data", { podSelector: {}, policyTypes: ["Ingress"], ingress: [expression] })).toThrow();
  });
});
