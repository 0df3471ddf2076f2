import { describe, expect, it } from "vitest";
import { absentDefaults } from "./crd-defaults";
import { crdProblems } from "./crds";

function backend(spec: object): Record<string, unknown> {
  return {
    apiVersion: "gateway.envoyproxy.io/v1alpha1",
    kind: "Backend",
    metadata: { name: "b", labels: { a: "b" } },
    spec,
  };
}

describe("crdProblems", () => {
  it("accepts what the schema accepts", () => {
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc.cluster.local", port: 8000 } }] }))).toEqual(
      [],
    );
  });

  it("finds a field that the API server would drop", () => {
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc", port: 8000, prot: "TCP" } }] }))).toEqual([
      "Backend/spec/endpoints/0/fqdn/prot: the schema has no such field",
    ]);
  });

  it("finds values of a wrong type, and missing ones", () => {
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc", port: "8000" } }] }))[0]).toMatch(
      /^Backend\/spec\/endpoints\/0\/fqdn\/port: .*"string".*"integer"/,
    );
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc" } }] }))[0]).toMatch(
      /^Backend\/spec\/endpoints\/0\/fqdn: .*required.*"port"/,
    );
  });

  it.each([
    ["enum", { endpoints: [{ fqdn: { hostname: "a.b", port: 1 } }], appProtocols: ["http"] }, "appProtocols/0"],
    ["pattern", { endpoints: [{ fqdn: { hostname: "a_b", port: 1 } }] }, "endpoints/0/fqdn/hostname"],
    ["minLength", { endpoints: [{ fqdn: { hostname: "", port: 1 } }] }, "endpoints/0/fqdn/hostname"],
    ["maximum", { endpoints: [{ fqdn: { hostname: "a.b", port: 65_536 } }] }, "endpoints/0/fqdn/port"],
    ["minItems", { endpoints: [] }, "endpoints"],
  ])("finds what %s forbids", (_, spec, path) => {
    expect(crdProblems(backend(spec)).map((problem) => problem.split(": ")[0])).toContain(`Backend/spec/${path}`);
  });

  it("names the kinds that it knows", () => {
    expect(() => crdProblems({ apiVersion: "v2", kind: "Backend" })).toThrow(
      /no CRD schema for v2\/Backend .* gateway\.envoyproxy\.io\/v1alpha1\/Backend/,
    );
  });
});

describe("absentDefaults", () => {
  const route = (backend: object) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    spec: { rules: [{ matches: [{ path: { type: "Exact", value: "/" } }], backendRefs: [backend] }] },
  });

  it("finds the default that the API server would add to an atomic list", () => {
    const backend = { group: "", kind: "Service", name: "a", port: 80 };
    expect(absentDefaults(route(backend))).toEqual(["spec.rules[0].backendRefs[0].weight: 1"]);
    expect(absentDefaults(route({ ...backend, weight: 1 }))).toEqual([]);
  });

  it("finds it in a list that is absent as a whole", () => {
    const { spec, ...rest } = route({ name: "a" });
    const rules = [{ filters: [] }];
    expect(absentDefaults({ ...rest, spec: { ...spec, rules } })).toEqual([
      'spec.rules[0].matches: [{"path":{"type":"PathPrefix","value":"/"}}]',
    ]);
  });

  it("leaves alone what has an owner per field", () => {
    const containers = [{ name: "a", ports: [{ containerPort: 80 }] }];
    const spec = { leaderWorkerTemplate: { workerTemplate: { spec: { containers } } } };
    expect(absentDefaults({ apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", spec })).toEqual([]);
  });
});
