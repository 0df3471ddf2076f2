import { createServer, type Server } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { waitingPods } from "../../rehearsal/cluster/pods";
import { freePorts } from "../../rehearsal/cluster/ports";
import { makeGatewayService } from "./cloud/gateway-service";
import { CLUSTER, KEPT, NODE_GROUP, SUBNET, smallPlatform } from "./eks/settings";
import { type Operation, operation } from "./engine/operations";
import { KARPENTER_MACHINE } from "./engine/providers/aws-karpenter";
import { LOAD_BALANCER } from "./engine/providers/cloud/load-balancers";
import { TestBed } from "./engine/test-bed";
import { sharedBySuite } from "./shared-by-suite";

/** Longer than all that the program does meanwhile. */
const LOAD_BALANCER_MS = 8_000;
const POOL = "inference-stacks.io/pool";
const KARPENTER_POOL = "karpenter.sh/nodepool";

describe("a platform with Karpenter on a cluster of our own, on the real engine", { timeout: 300_000 }, () => {
  let port = 0;
  /** The way to the private endpoint: a VPN, a bastion. */
  let way: Server | undefined;
  const bed = sharedBySuite(async () => {
    [port = 0] = await freePorts(1);
    return TestBed.start("dev", smallPlatform(), {
      endpoint: `127.0.0.1:${port}`,
      loadBalancerRemovalMs: LOAD_BALANCER_MS,
      delays: { [NODE_GROUP]: { create: 3_000 } },
    });
  });
  afterAll(() => way?.close());
  const up = (): Promise<Operation> => operation((onEvent) => bed().stack.up({ onEvent }));
  const recorded = async (): Promise<string[]> => {
    const { deployment } = await bed().stack.exportStack();
    const types = ((deployment.resources ?? []) as { readonly type: string }[]).map(({ type }) => type);
    // The engine's default providers, which no program makes: for passwords, and for what the stack asks of its own state.
    return types.filter((type) => !/^pulumi:providers:(random|pulumi)$/.test(type)).sort();
  };
  const planned = (): string[] =>
    bed()
      .offline.recording.resources.map(({ type }) => type)
      .sort();
  const nodesOf = async (pool: string): Promise<KubernetesObject[]> => {
    const nodes = await bed().plane.client.list("v1", "Node");
    return nodes.filter(({ metadata }) => metadata.labels?.[POOL] === pool);
  };

  it("is not begun where the cluster's private API does not answer; the cluster is made, and recorded", async () => {
    await expect(up()).rejects.toThrow(`the Kubernetes API at 127.0.0.1:${port} does not answer from here`);
    expect(bed().cloud.of(CLUSTER)).toHaveLength(1);
    const ofAws = (types: readonly string[]) => types.filter((type) => type.startsWith("aws:"));
    expect(ofAws(await recorded())).toEqual(ofAws(planned()));
    expect((await recorded()).filter((type) => type.startsWith("kubernetes:"))).toEqual([]);
  });

  it("is made once there is a way; Karpenter brings the model's node", async () => {
    expect(await nodesOf("gpu")).toEqual([]);
    way = createServer().listen(port, "127.0.0.1");
    await up();
    expect(await recorded()).toEqual(planned());
    expect(await waitingPods(bed().plane.client)).toEqual([]);
    const gpuNodes = await nodesOf("gpu");
    expect(gpuNodes.map(({ metadata }) => metadata.labels)).toEqual([
      expect.objectContaining({
        "node.kubernetes.io/instance-type": "g6.2xlarge",
        [KARPENTER_POOL]: expect.any(String),
      }),
    ]);
    // Nothing but the model is on its node.
    const pods = (await bed().plane.client.list("v1", "Pod")).filter(
      ({ spec }) => (spec as { readonly nodeName?: string }).nodeName === gpuNodes[0]?.metadata.name,
    );
    expect(new Set(pods.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["model-assistant"]));
  });

  it("has its gateway's load balancer in a subnet that is meant for it, and changes nothing when it runs again", async () => {
    await makeGatewayService(bed().plane.client);
    const [balancer] = bed().cloud.of(LOAD_BALANCER);
    const subnet = bed().cloud.get(String(balancer?.inputs.subnetId));
    expect(subnet?.inputs.tags).toMatchObject({ "kubernetes.io/role/internal-elb": "1" });
    expect(Object.keys((await up()).changes)).toEqual(["same"]);
  });

  it("goes away in order: the load balancer, Karpenter's nodes, Karpenter, groups, subnets; keys stay", async () => {
    const since = bed().cloud.events().length;
    const { inOrder } = await operation((onEvent) => bed().stack.destroy({ onEvent, excludeProtected: true }));
    const events = bed()
      .cloud.events()
      .slice(since)
      .map(({ event, subject }) => `${event} ${subject}`);
    const order = [
      `deleted ${KARPENTER_MACHINE}`,
      "deleted EC2NodeClass",
      `delete ${NODE_GROUP}`,
      `deleted ${NODE_GROUP}`,
      `delete ${SUBNET}`,
    ];
    const happened = events.filter((event) => order.includes(event));
    expect(happened.filter((event, i) => event !== happened[i - 1])).toEqual(order);
    const last = (event: string) => events.lastIndexOf(event);
    expect(last(`deleted ${LOAD_BALANCER}`)).toBeGreaterThan(-1);
    expect(last(`deleted ${LOAD_BALANCER}`)).toBeLessThan(events.indexOf(`delete ${NODE_GROUP}`));
    const began = (step: RegExp) => inOrder.findIndex((each) => step.test(each));
    const lastBegan = (step: RegExp) => inOrder.findLastIndex((each) => step.test(each));
    expect(lastBegan(/^delete NodePool /)).toBeLessThan(began(/^delete EC2NodeClass /));
    expect(lastBegan(/^delete EC2NodeClass /)).toBeLessThan(began(/^delete Release .*karpenter/));
    expect(began(/^delete Gateway /)).toBeLessThan(began(/^delete Release .*load-balancer/));
    expect(lastBegan(/^delete Release /)).toBeLessThan(began(/^delete NodeGroup /));
    const left = new Set(
      bed()
        .cloud.all()
        .map(({ type }) => type),
    );
    expect(left).toEqual(new Set(KEPT));
    expect(await bed().plane.client.list("v1", "Node")).toEqual([]);
  });
});
