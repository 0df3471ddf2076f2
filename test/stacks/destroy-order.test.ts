import { beforeAll, describe, expect, it } from "vitest";
import { CreationOrder } from "../harness/creation-order";
import type { RecordedResource } from "../harness/deploy";
import { type ProgramRun, programRun } from "./run";

/**
 * What Pulumi deletes before what: everything that is created before an object goes after it.
 * docs/decisions/0018-clusters-of-our-own.md says what follows from that.
 */
describe.each(["oci-a10", "oci-h100"] as const)("the order in which %s goes away", (name) => {
  let run: ProgramRun;
  let order: CreationOrder;
  beforeAll(async () => {
    run = await programRun(name);
    order = new CreationOrder(run.resources);
  }, 120_000);

  const needs = (resource: RecordedResource) => order.before(resource);

  // Pods of models before their own nodes: test/stacks/pools-apart.test.ts. Others of a pool of GPUs are agents, which end with it.
  it("takes every object of Kubernetes away before the platform's nodes and name resolution", () => {
    const below = run.resources
      .filter(({ name }) => ["cluster-pools-system", "cluster-addons-dns"].includes(name))
      .map(({ urn }) => urn);
    expect(below).toHaveLength(2);
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
