import { beforeAll, describe, expect, it } from "vitest";
import type { RecordedResource } from "../harness/deploy";
import { type ProgramRun, programRun } from "./run";

/**
 * What Pulumi deletes before what: everything that an object needs, by its own word or its ancestors', goes after it.
 * docs/decisions/0018-clusters-of-our-own.md says what follows from that.
 */
describe.each(["oci-a10", "oci-h100"] as const)("the order in which %s goes away", (name) => {
  let run: ProgramRun;
  let byUrn: Map<string, RecordedResource>;
  beforeAll(async () => {
    run = await programRun(name);
    byUrn = new Map(run.resources.map((resource) => [resource.urn, resource]));
  }, 120_000);

  /** A resource and what is below it: Pulumi waits for all of a component that `dependsOn` names. */
  function whole(urn: string): string[] {
    const below = run.resources.filter(({ parent }) => parent === urn);
    return [urn, ...below.flatMap((child) => whole(child.urn))];
  }

  /** URNs that a resource needs, through parents, providers and `dependsOn`. */
  function needs({ urn }: RecordedResource, seen = new Set<string>()): Set<string> {
    const resource = byUrn.get(urn);
    const provider = resource?.provider?.slice(0, resource.provider.lastIndexOf("::"));
    for (const next of [...(resource?.dependsOn ?? []).flatMap(whole), resource?.parent, provider]) {
      const found = next === undefined ? undefined : byUrn.get(next);
      if (found && !seen.has(found.urn)) {
        seen.add(found.urn);
        needs(found, seen);
      }
    }
    return seen;
  }

  const urnsOf = (...types: string[]) => types.flatMap((type) => run.deployment.ofType(type).map(({ urn }) => urn));

  it("takes every object of Kubernetes away before nodes and add-ons", () => {
    const below = urnsOf("oci:ContainerEngine/nodePool:NodePool", "oci:ContainerEngine/addon:Addon");
    expect(below.length).toBeGreaterThan(2);
    const objects = run.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    expect(objects.length).toBeGreaterThan(50);
    for (const object of objects) {
      expect([...needs(object)], object.urn).toEqual(expect.arrayContaining(below));
    }
  });

  it("takes ScaledObjects away before KEDA, which alone takes their finalizer off, and KEDA before Prometheus", () => {
    const release = run.deployment.resource("kubernetes:helm.sh/v3:Release", "platform-autoscaling-keda-controller");
    const scaled = run.deployment.ofKind("ScaledObject");
    expect(scaled.length).toBeGreaterThan(0);
    for (const object of scaled) {
      expect([...needs(object)]).toContain(release.urn);
    }
    const stack = run.resources.filter(({ type, inputs }) => type.endsWith(":Release") && inputs.name === "metrics");
    expect(stack).toHaveLength(1);
    expect([...needs(release)]).toEqual(expect.arrayContaining(stack.map(({ urn }) => urn)));
  });

  it("takes the Gateway away before what serves its finalizers", () => {
    const [gateway, more] = run.deployment.ofKind("Gateway");
    expect(more).toBeUndefined();
    const release = run.deployment.resource("kubernetes:helm.sh/v3:Release", "platform-controllers-envoy-gateway");
    expect([...needs(gateway as RecordedResource)]).toContain(release.urn);
    for (const gatewayClass of run.deployment.ofKind("GatewayClass")) {
      expect([...needs(gatewayClass)]).toContain(release.urn);
    }
  });

  it("has each load balancer's Service in a namespace that Pulumi deletes, and so waits for", () => {
    const namespaces = run.deployment
      .ofType("kubernetes:core/v1:Namespace")
      .filter(({ options }) => !options.retainOnDelete)
      .map(({ inputs }) => (inputs.metadata as { name: string }).name);
    const balanced = [...run.deployment.ofKind("EnvoyProxy"), ...run.deployment.ofType("kubernetes:core/v1:Service")]
      .filter(({ inputs }) => JSON.stringify(inputs).includes('"LoadBalancer"'))
      .map(({ inputs }) => (inputs.metadata as { namespace: string }).namespace);
    expect(balanced.length).toBeGreaterThan(0);
    expect(namespaces).toEqual(expect.arrayContaining(balanced));
  });

  it("takes the control plane away before the policies that it needs to read its own secrets", () => {
    const [controlPlane] = run.deployment.ofType("oci:ContainerEngine/cluster:Cluster");
    const { urn } = run.deployment.resource("oci:Identity/policy:Policy", "cluster-identity-keys");
    expect([...needs(controlPlane as RecordedResource)]).toContain(urn);
  });
});
