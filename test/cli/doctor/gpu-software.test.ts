import { describe, expect, it } from "vitest";
import { gpuDrivers, oneDevicePlugin, rdmaDevices, sharingIsLabelled } from "../../../cli/doctor/checks/gpu-software";
import { pools } from "../../../cli/doctor/checks/pools";
import type { NodeFact } from "../../../cli/doctor/facts";
import type { Needs, PoolNeed } from "../../../cli/doctor/needs";
import { a10, FORBIDDEN, facts, known, named, needs, node, only, workload } from "./made-up";

const MACHINE = { "node.kubernetes.io/instance-type": "VM.GPU.A10.2" };

function machine(name: string, more: Partial<NodeFact> = {}): NodeFact {
  return node(name, { ...more, labels: { ...MACHINE, ...more.labels } });
}

/** A pool with a model in an image. */
function running(image: string | undefined): PoolNeed {
  const need = a10();
  return { ...need, pods: need.pods.map((pod) => ({ ...pod, ...(image !== undefined && { image }) })) };
}

function existing(changes: Partial<Needs["cluster"]>, need: PoolNeed = a10()): Needs {
  const wanted = needs({ pools: [need] });
  return { ...wanted, cluster: { ...wanted.cluster, ...changes } as Needs["cluster"] };
}

describe("the driver", () => {
  const judge = (nodes: readonly NodeFact[], image = "vllm-cuda", changes = {}) =>
    only(gpuDrivers, facts({ nodes: known(nodes) }), existing(changes, running(image)));
  const with_ = (driver: string, key = "nvidia.com/cuda.driver-version.major") =>
    machine(`driver-${driver}`, { labels: { [key]: driver } });

  it.each([
    ["new enough for CUDA 13", [with_("580")], "vllm-cuda", "passed", "driver 580"],
    ["newer", [with_("595"), with_("580")], "triton", "passed", "driver 580"],
    ["too old for CUDA 13", [with_("595"), with_("570")], "vllm-cuda", "failed", "driver-570: driver 570"],
    ["old, but not too old for CUDA 12", [with_("570")], "tgi", "passed", "driver 570"],
    ["named by the older label", [with_("550", "nvidia.com/cuda.driver.major")], "vllm-cuda", "failed", "driver 550"],
    ["not named", [machine("one")], "vllm-cuda", "unknown", "no node says"],
    ["nonsense", [with_("latest")], "vllm-cuda", "unknown", "no node says"],
    ["named by some", [with_("580"), machine("two")], "vllm-cuda", "warning", "1 of 2 nodes"],
    ["of no node of the pool", [node("other")], "vllm-cuda", "passed", "no node yet"],
  ] as const)("is %s", (_what, nodes, image, status, found) => {
    const result = judge(nodes, image);
    expect(result).toMatchObject({ status, found: expect.stringContaining(found) });
    expect(result.remedies.length > 0).toBe(status !== "passed");
  });

  it("says what it is needed for, and how to get it", () => {
    const { needed, remedies } = judge([with_("570")]);
    expect(needed).toBe("NVIDIA's driver 580 or newer, for CUDA 13 in vllm-cuda");
    expect(remedies[0]).toContain("driver 580 or newer");
  });

  it("is asked for by images alone whose CUDA, or whose own minimum, is known", () => {
    expect(gpuDrivers(facts(), existing({}, running(undefined)))).toEqual([]);
    expect(gpuDrivers(facts(), existing({}, running("node")))).toEqual([]);
    expect(judge([with_("535")], "ollama")).toMatchObject({
      status: "failed",
      needed: "NVIDIA's driver 550 or newer, for the CUDA libraries in ollama",
    });
  });

  it("is not known where nobody may ask, nor before the platform brings what tells it", () => {
    expect(only(gpuDrivers, facts({ nodes: FORBIDDEN }), existing({}, running("vllm-cuda"))).status).toBe("unknown");
    expect(judge([machine("one")], "vllm-cuda", { gpuSoftware: "platform" }).status).toBe("passed");
  });
});

describe("GPUs of a pool", () => {
  const judge = (changes: Partial<Needs["cluster"]>, found = facts({ nodes: known([machine("one")]) }), need = a10()) =>
    only(pools, found, existing(changes, need));

  it("come with the platform's software, and must be there once that is", () => {
    expect(judge({})).toMatchObject({ status: "failed", found: "no nvidia.com/gpu on one" });
    expect(judge({ gpuSoftware: "platform" })).toMatchObject({
      status: "passed",
      found: "1 node; nvidia.com/gpu comes with the GPU software",
    });
    const later = facts({ nodes: known([machine("one")]), ownNamespaces: known([named("gpu-software")]) });
    expect(judge({ gpuSoftware: "platform" }, later)).toMatchObject({ status: "failed" });
    expect(judge({ kind: "oci", provision: "create" }).status).toBe("passed");
  });

  it("that are parted say by which label", () => {
    const need = a10({ sharing: { timeSlicing: { replicas: 4 } } });
    const { remedies } = judge({}, undefined, need);
    expect(remedies[0]).toContain("kubectl label node one --overwrite nvidia.com/device-plugin.config=time-slices-4");
  });
});

describe("parts of GPUs", () => {
  const need = a10({ sharing: { mig: "all-1g.10gb" } });
  const judge = (labels: Record<string, string>) =>
    only(sharingIsLabelled, facts({ nodes: known([machine("one", { labels })]) }), existing({}, need));

  it("are asked for by a label", () => {
    expect(judge({ "nvidia.com/mig.config": "all-1g.10gb" }).status).toBe("passed");
    expect(judge({ "nvidia.com/mig.config": "all-disabled" })).toMatchObject({
      status: "warning",
      remedies: ["kubectl label node one --overwrite nvidia.com/mig.config=all-1g.10gb", expect.any(String)],
    });
    expect(sharingIsLabelled(facts(), existing({}))).toEqual([]);
    expect(sharingIsLabelled(facts(), existing({ kind: "oci", provision: "create" }, need))).toEqual([]);
  });
});

describe("RDMA devices", () => {
  const fabric = {
    kind: "roce",
    access: "virtual-functions",
    gbps: 1600,
    device: { resource: "nvidia.com/rdma-vf", perNode: 16 },
    environment: {},
  } as const;
  const judge = (devices: string | undefined, changes: Partial<Needs["cluster"]> = {}) => {
    const allocatable: Record<string, string> = devices === undefined ? {} : { "nvidia.com/rdma-vf": devices };
    return only(
      rdmaDevices,
      facts({ nodes: known([machine("one", { allocatable })]) }),
      existing(changes, a10({ fabric })),
    );
  };

  it("are as many on every node as plans count on", () => {
    expect(judge("16")).toMatchObject({ status: "passed", needed: "16 × nvidia.com/rdma-vf on every node" });
    expect(judge("8")).toMatchObject({ status: "failed", found: "8 of 16 on one" });
    expect(judge(undefined)).toMatchObject({ status: "failed", found: "0 of 16 on one" });
    expect(judge(undefined, { kind: "oci", provision: "create" }).status).toBe("passed");
  });

  it("are not asked for on the nodes' own network", () => {
    const own = a10({ fabric: { ...fabric, access: "host-network" } });
    expect(rdmaDevices(facts(), existing({}, own))).toEqual([]);
  });
});

describe("device plugins", () => {
  const plugin = workload("nvcr.io/nvidia/k8s-device-plugin:v0.17.4", { name: "nvidia-device-plugin" });
  const judge = (changes: Parameters<typeof facts>[0]) =>
    only(oneDevicePlugin, facts(changes), existing({ gpuSoftware: "platform" }));

  it("of others make room for the platform's", () => {
    expect(judge({}).status).toBe("passed");
    expect(judge({ daemonSets: known([plugin]) })).toMatchObject({
      status: "failed",
      found: "there are kube-system/nvidia-device-plugin",
    });
    const operator = workload("nvcr.io/nvidia/gpu-operator:v25.3.0", {
      name: "gpu-operator",
      namespace: "gpu-operator",
    });
    expect(judge({ deployments: known([operator]) }).status).toBe("failed");
    expect(judge({ daemonSets: known([{ ...plugin, namespace: "gpu-software" }]) }).status).toBe("passed");
    expect(judge({ daemonSets: FORBIDDEN }).status).toBe("unknown");
  });

  it("are nobody's business where they are present", () => {
    expect(oneDevicePlugin(facts({ daemonSets: known([plugin]) }), existing({}))).toEqual([]);
  });
});
