import { describe, expect, it } from "vitest";
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
      expect.stringMatching(/Backend\/spec\/endpoints\/0\/fqdn: must NOT have additional properties.*prot/),
    ]);
  });

  it("finds values of a wrong type, and missing ones", () => {
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc", port: "8000" } }] }))[0]).toMatch(
      /port: must be integer/,
    );
    expect(crdProblems(backend({ endpoints: [{ fqdn: { hostname: "a.b.svc" } }] }))[0]).toMatch(
      /must have required property 'port'/,
    );
  });

  it("names the kinds that it knows", () => {
    expect(() => crdProblems({ apiVersion: "v2", kind: "Backend" })).toThrow(
      /no CRD schema for v2\/Backend .* gateway\.envoyproxy\.io\/v1alpha1\/Backend/,
    );
  });
});
