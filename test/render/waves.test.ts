import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import type { RecordedResource } from "../../offline/run";
import { type OrderedObject, waves } from "../../render/waves";

function resource(urn: string, dependsOn: readonly string[] = [], parent?: string): RecordedResource {
  return {
    urn,
    type: "t",
    name: urn,
    parent,
    custom: true,
    inputs: {},
    secretInputs: [],
    provider: undefined,
    dependsOn,
    waitsFor: [],
    origins: {},
    options: { protect: false, retainOnDelete: false, deleteBeforeReplace: false, ignoreChanges: [] },
  };
}

function item(
  kind: string,
  apiVersion: string,
  home: string | undefined,
  source: RecordedResource,
  spec = {},
): OrderedObject {
  const object: KubernetesObject = {
    apiVersion,
    kind,
    metadata: { name: kind === "Namespace" ? source.urn : "x" },
    spec,
  };
  return { object, home, source };
}

const pods = { template: { spec: { containers: [{ name: "c", image: "i" }] } } };
const space = resource("space");

function wavesOf(...objects: OrderedObject[]): number[] {
  return waves(objects, [...objects.flatMap(({ source }) => source ?? []), resource("component", ["early"])]);
}

describe("waves", () => {
  it("puts a namespace first, then what fences it, custom resources, pods", () => {
    expect(
      wavesOf(
        item("Job", "batch/v1", "space", resource("job"), pods),
        item("Certificate", "cert-manager.io/v1", "space", resource("certificate")),
        item("NetworkPolicy", "networking.k8s.io/v1", "space", resource("policy")),
        item("ExternalSecret", "external-secrets.io/v1", "space", resource("secret")),
        item("Namespace", "v1", undefined, space),
        item("ConfigMap", "v1", "other", resource("elsewhere")),
      ),
    ).toEqual([3, 2, 1, 1, 0, 0]);
  });

  it("follows what the program declares, also for all that is below a component", () => {
    expect(
      wavesOf(
        item("ConfigMap", "v1", "a", resource("late", [], "component")),
        item("Service", "v1", "b", resource("early", ["first"])),
        item("Service", "v1", "c", resource("first")),
      ),
    ).toEqual([2, 1, 0]);
  });

  it("lets the program's word stand against the rules of thumb", () => {
    // A ConfigMap made from what a Deployment of its namespace does.
    expect(
      wavesOf(
        item("ConfigMap", "v1", "space", resource("after", ["server"])),
        item("Deployment", "apps/v1", "space", resource("server"), pods),
      ),
    ).toEqual([1, 0]);
  });

  describe("a volume claim", () => {
    const mount = {
      template: { spec: { ...pods.template.spec, volumes: [{ persistentVolumeClaim: { claimName: "x" } }] } },
    };
    const claim = item("PersistentVolumeClaim", "v1", "space", resource("claim"));
    const server = item("StatefulSet", "apps/v1", "space", resource("server"), mount);

    it("is applied together with the pods that mount it", () => {
      expect(
        wavesOf(
          claim,
          item("Certificate", "cert-manager.io/v1", "space", resource("certificate", ["early"])),
          item("Service", "v1", "b", resource("early")),
          server,
        ),
      ).toEqual([2, 1, 0, 2]);
    });

    it("is applied together with the first of several pods that mount it, whatever their order", () => {
      const job = item("Job", "batch/v1", "space", resource("job", ["server"]), mount);
      expect(wavesOf(claim, server, job)).toEqual([1, 1, 2]);
      expect(wavesOf(job, server, claim)).toEqual([2, 1, 1]);
    });

    it("is applied for itself where pods of another namespace mount a claim of its name", () => {
      const stranger = item("Job", "batch/v1", "other", resource("job", ["server"]), mount);
      expect(wavesOf(claim, item("StatefulSet", "apps/v1", "b", resource("server"), pods), stranger)).toEqual([
        0, 0, 1,
      ]);
    });
  });

  it("puts a certificate after its issuer, a CA after its Secret, a Gateway after its certificates", () => {
    const reference = { issuerRef: { kind: "Issuer", name: "x" } };
    const issuer = item("Issuer", "cert-manager.io/v1", "space", resource("issuer"), { ca: { secretName: "ca" } });
    const authority = item("Certificate", "cert-manager.io/v1", "space", resource("ca"), { secretName: "ca" });
    const server = item("Certificate", "cert-manager.io/v1", "space", resource("tls"), {
      secretName: "tls",
      ...reference,
    });
    const gateway = item("Gateway", "gateway.networking.k8s.io/v1", "space", resource("gateway"), {
      listeners: [{ tls: { certificateRefs: [{ name: "tls" }] } }, {}],
    });
    const objects = [issuer, authority, server, gateway].map((each) => ({
      ...each,
      object: { ...each.object, metadata: { ...each.object.metadata, namespace: "space" } },
    }));
    expect(wavesOf(...objects)).toEqual([1, 0, 2, 3]);
    const acme = { acme: { solvers: [{ http01: { gatewayHTTPRoute: { parentRefs: [{ name: "x" }] } } }] } };
    const challenged = objects.map((each, i) => (i === 0 ? { ...each, object: { ...each.object, spec: acme } } : each));
    expect(wavesOf(...challenged)).toEqual([0, 0, 1, 1]);
  });

  it("refuses objects that need one another", () => {
    expect(() =>
      wavesOf(
        item("Service", "v1", "a", resource("one", ["two"])),
        item("Job", "batch/v1", "b", resource("two", ["one"])),
      ),
    ).toThrow("these objects need one another: Service /x, Job /x");
  });
});
