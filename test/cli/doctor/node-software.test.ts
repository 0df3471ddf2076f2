import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LEAST_KERNEL } from "../../../catalog/kubernetes-versions";
import { nodeSoftware } from "../../../cli/doctor/checks/node-software";
import { rdmaAddresses } from "../../../cli/doctor/checks/rdma-addresses";
import { type DevicePodFact, devicePod } from "../../../cli/doctor/facts";
import { repositoryRoot } from "../../../names/repository-root";
import { a10, FORBIDDEN, facts, known, needs, node, only } from "./made-up";

const TOOLKIT = "nvidia-container-toolkit-daemonset";
const MACHINE = { "node.kubernetes.io/instance-type": "VM.GPU.A10.2" };
const DRIVER = "nvidia.com/cuda.driver-version.full";
const AT = Date.parse("2026-11-28T05:00:00Z");

function devicePodOn(on: string, app: string, seconds: number, image = "nv-ipam:v1"): DevicePodFact {
  return {
    name: `${app}-${on}`,
    namespace: "operators",
    labels: { app },
    node: on,
    images: [image],
    started: [AT + seconds * 1000],
  };
}

describe("software on nodes", () => {
  const toolkit = (tag: string) => devicePodOn("one", TOOLKIT, 0, `nvcr.io/nvidia/k8s/container-toolkit:${tag}`);
  const judge = (
    { kernelVersion = "6.8.0-1035-oracle", driver }: { kernelVersion?: string; driver?: string },
    pods: readonly DevicePodFact[] = [],
  ) => {
    const labels = { ...MACHINE, ...(driver !== undefined && { [DRIVER]: driver }) };
    const found = facts({ nodes: known([node("one", { labels, kernelVersion })]), devicePods: known(pods) });
    return only(nodeSoftware, found, needs({ pools: [a10()] }));
  };

  it("is shown as far as the cluster says it", () => {
    expect(judge({ driver: "580.178.04" }, [toolkit("v1.20.1")])).toMatchObject({
      status: "passed",
      found: "kernel 6.8.0-1035-oracle, containerd://2.2.4, driver 580.178.04, container toolkit v1.20.1",
    });
    expect(judge({}).found).toBe(
      "kernel 6.8.0-1035-oracle, containerd://2.2.4, driver not said, container toolkit of the node's image (nvidia-ctk --version says which)",
    );
    expect(judge({ kernelVersion: "kwok-v0.8.0" }).status).toBe("passed");
    // Of another pool's node.
    expect(judge({}, [{ ...toolkit("v1.0.0"), node: "other" }]).status).toBe("passed");
  });

  it.each([
    ["an old kernel", { kernelVersion: "5.4.17-2136.uek" }, [], "boot an image with kernel 5.8 or newer"],
    [
      "a vulnerable driver",
      { driver: "580.95.05" },
      [],
      "driver 580.95.05 has NVIDIA bulletin 5861: boot an image with 580.178.04",
    ],
    [
      "a vulnerable toolkit",
      {},
      [toolkit("v1.18.0")],
      "container toolkit v1.18.0 has NVIDIA bulletin 5850: boot an image with 1.19.1",
    ],
  ] as const)("warns of %s", (_what, machine, pods, remedy) => {
    const { status, remedies } = judge(machine, pods);
    expect(status).toBe("warning");
    expect(remedies).toEqual([expect.stringContaining(remedy)]);
  });

  it("is not known where nobody may ask, and of pods alone where nodes are known", () => {
    const asked = (changes: Parameters<typeof facts>[0]) =>
      only(nodeSoftware, facts(changes), needs({ pools: [a10()] }));
    expect(asked({ nodes: FORBIDDEN }).status).toBe("unknown");
    expect(asked({ nodes: known([node("one", { labels: MACHINE })]), devicePods: FORBIDDEN }).status).toBe("passed");
  });

  it("asks for the kernel that machines of one's own are asked for", () => {
    const script = join(repositoryRoot(), "components/cluster/k3s/scripts/check-system.sh");
    expect(readFileSync(script, "utf8")).toContain(`Kubernetes needs ${LEAST_KERNEL} or newer`);
  });
});

describe("addresses of RDMA interfaces", () => {
  const H100 = a10({
    fabric: {
      kind: "roce",
      access: "virtual-functions",
      gbps: 3200,
      device: { resource: "nvidia.com/rdma-vf", perNode: 16, network: "default/rdma-vf" },
      environment: {},
    },
  });
  const judge = (pods: readonly DevicePodFact[]) =>
    only(rdmaAddresses, facts({ devicePods: known(pods) }), needs({ pools: [H100] }));

  it("are lost where the runtime was restarted after what gives them out", () => {
    const later = judge([
      devicePodOn("a", TOOLKIT, 600),
      devicePodOn("a", "nv-ipam", 590),
      devicePodOn("b", TOOLKIT, 0),
    ]);
    expect(later).toMatchObject({ status: "warning", found: expect.stringContaining("nv-ipam-a on a") });
    expect(later.remedies).toEqual(["kubectl -n nvidia-network-operator delete pod nv-ipam-a"]);
    // The restart comes some seconds after the toolkit's container.
    expect(judge([devicePodOn("a", TOOLKIT, 600), devicePodOn("a", "nv-ipam", 650)]).status).toBe("warning");
  });

  it("are there where it started later, or on another node", () => {
    expect(judge([devicePodOn("a", TOOLKIT, 0), devicePodOn("a", "nv-ipam", 300)]).status).toBe("passed");
    expect(judge([devicePodOn("a", TOOLKIT, 600), devicePodOn("b", "nv-ipam", 0)]).status).toBe("passed");
    expect(judge([]).found).toBe("neither is there yet");
  });

  it("are asked for where pods have virtual functions alone", () => {
    expect(rdmaAddresses(facts(), needs({ pools: [a10()] }))).toEqual([]);
  });

  it("are read of pods as Kubernetes writes them", () => {
    const read = devicePod.parse({
      metadata: { name: "nv-ipam-node-x", namespace: "nvidia-network-operator", labels: { app: "nv-ipam" } },
      spec: { nodeName: "a", containers: [{ image: "nv-ipam:v1" }] },
      status: { containerStatuses: [{ state: { running: { startedAt: "2026-11-28T05:00:00Z" } } }, { state: {} }] },
    });
    expect(read).toMatchObject({ node: "a", started: [AT] });
    expect(devicePod.parse({ metadata: { name: "x" }, spec: { containers: null } })).toMatchObject({ started: [] });
  });
});
