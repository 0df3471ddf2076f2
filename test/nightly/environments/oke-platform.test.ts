import { createServer, type Server } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { waitingPods } from "../../../rehearsal/cluster/pods";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { makeGatewayService } from "../../e2e/cloud/gateway-service";
import { type Operation, operation } from "../../e2e/engine/operations";
import { LOAD_BALANCER } from "../../e2e/engine/providers/cloud/load-balancers";
import { TestBed } from "../../e2e/engine/test-bed";
import { CLUSTER, KEPT, NODE_POOL, smallPlatform } from "../../e2e/oke/settings";
import { sharedBySuite } from "../../e2e/shared-by-suite";

const SUBNET = "oci:Core/subnet:Subnet";
/** Longer than all that the program does meanwhile. */
const LOAD_BALANCER_MS = 8_000;

// Of every change are engine-eks-platform.test.ts, which meets the same in AWS, and oci-h100 on an OKE cluster from nothing to nothing.
describe("a platform on a cluster of our own, on the real engine", { timeout: 300_000 }, () => {
  let port = 0;
  /** The way to the private endpoint: a VPN, a bastion. */
  let way: Server | undefined;
  const bed = sharedBySuite(async () => {
    [port = 0] = await freePorts(1);
    return TestBed.start("dev", smallPlatform(), {
      endpoint: `127.0.0.1:${port}`,
      loadBalancerRemovalMs: LOAD_BALANCER_MS,
      delays: { [NODE_POOL]: { create: 5_000 } },
    });
  });
  afterAll(() => way?.close());
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  const planned = (): string[] =>
    bed()
      .offline.recording.resources.map(({ type }) => type)
      .sort();
  const recorded = async (): Promise<string[]> => {
    const { deployment } = await bed().stack.exportStack();
    const types = ((deployment.resources ?? []) as { readonly type: string }[]).map(({ type }) => type);
    // The engine's own default provider: no program makes it.
    return types.filter((type) => type !== "pulumi:providers:random").sort();
  };
  const ofCloud = (types: readonly string[]): string[] => types.filter((type) => type.startsWith("oci:"));
  const ofKubernetes = (types: readonly string[]): string[] => types.filter((type) => type.startsWith("kubernetes:"));

  it("is not begun where the cluster's private API does not answer; the cluster is made, and recorded", async () => {
    const message = await up().then(
      () => "",
      (error: Error) => error.message,
    );
    expect(message).toContain(`the Kubernetes API at 127.0.0.1:${port} does not answer from here: ECONNREFUSED`);
    expect(message).toMatch(
      /Two ways out:\s+- run `pulumi up` where it answers.*\s+- split the deployment: `scope: cluster`/,
    );
    expect(ofCloud(await recorded())).toEqual(ofCloud(planned()));
    expect(bed().cloud.of(CLUSTER)).toHaveLength(1);
    expect(ofKubernetes(await recorded())).toEqual([]);
    const names = (await bed().plane.client.list("v1", "Namespace")).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name !== "default" && !name.startsWith("kube-"))).toEqual([]);
  });

  it("is made once there is a way, on the same cluster", async () => {
    const [cluster] = bed().cloud.of(CLUSTER);
    way = createServer().listen(port, "127.0.0.1");
    await up();
    expect(await recorded()).toEqual(planned());
    expect(bed().cloud.of(CLUSTER)).toEqual([cluster]);
    expect(await waitingPods(bed().plane.client)).toEqual([]);
    await makeGatewayService(bed().plane.client);
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("goes away in order: the gateway and its load balancer, nodes, subnets; keys stay", async () => {
    const since = bed().cloud.events().length;
    const { inOrder } = await operation((onEvent) => bed().stack.destroy({ onEvent, excludeProtected: true }));
    const events = bed()
      .cloud.events()
      .slice(since)
      .map(({ event, subject }) => `${event} ${subject}`);
    const order = [
      `delete ${LOAD_BALANCER}`,
      `deleted ${LOAD_BALANCER}`,
      `delete ${NODE_POOL}`,
      `deleted ${NODE_POOL}`,
      `delete ${SUBNET}`,
    ];
    const happened = events.filter((event) => order.includes(event));
    expect(happened.filter((event, i) => event !== happened[i - 1])).toEqual(order);
    const gateway = inOrder.findIndex((step) => step.startsWith("delete Gateway "));
    const pool = inOrder.findIndex((step) => step.startsWith("delete NodePool "));
    expect(gateway).toBeGreaterThan(-1);
    expect(gateway).toBeLessThan(pool);
    const left = new Set(
      bed()
        .cloud.all()
        .map(({ type }) => type),
    );
    expect(left).toEqual(new Set(KEPT));
    expect(new Set(ofCloud(await recorded()))).toEqual(left);
    expect(ofKubernetes(await recorded())).toEqual([]);
    expect(await bed().plane.client.list("v1", "Node")).toEqual([]);
  });
});
