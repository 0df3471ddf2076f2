import { beforeAll, describe, expect, it } from "vitest";
import type { FabricAccess } from "../../../catalog/fabrics";
import { fabricOf, ncclEnvironment } from "../../../catalog/fabrics";
import { shapes } from "../../../catalog/shapes";
import { virtualFunctionsOf } from "../../../catalog/sriov";
import type { ClusterPool } from "../../../components/core/cluster";
import { rights, settling, waits } from "../../../components/gpu/operators-ready";
import { rdmaDeviceNamespaces } from "../../../components/gpu/rdma-devices";
import { addressPool, devicePools, nodePolicy, poolConfig } from "../../../components/gpu/sriov-specs";
import { SRIOV_CRDS } from "../../../components/gpu/sriov-types";
import { crdProblems } from "../../harness/crds";
import { CreationOrder } from "../../harness/creation-order";
import { changedRun, type ProgramRun, programRun } from "../../stacks/run";

const H100_PORTS = [
  "0000:0c:00.0",
  "0000:0c:00.1",
  "0000:2a:00.0",
  "0000:2a:00.1",
  "0000:41:00.0",
  "0000:41:00.1",
  "0000:58:00.0",
  "0000:58:00.1",
  "0000:86:00.0",
  "0000:86:00.1",
  "0000:a5:00.0",
  "0000:a5:00.1",
  "0000:bd:00.0",
  "0000:bd:00.1",
  "0000:d5:00.0",
  "0000:d5:00.1",
];

function pool(shape: string, access: FabricAccess): ClusterPool {
  const fabric = fabricOf(shape);
  if (!fabric) {
    throw new Error(`${shape} has no fabric`);
  }
  const { kind, device } = fabric;
  return {
    shape,
    minNodes: 2,
    maxNodes: 2,
    labels: { "inference-stacks.io/pool": "h100" },
    taints: [],
    startupTaints: [],
    fabric: { kind, access, gbps: 3200, device, environment: ncclEnvironment(fabric, access) },
  };
}

describe("ports of the RDMA network", () => {
  it("are known of every shape with virtual functions, as many as it has of these", () => {
    for (const { name, rdma } of shapes.filter((shape) => shape.rdma.kind === "roce")) {
      const fabric = fabricOf(name);
      const devices = virtualFunctionsOf(name);
      expect(devices === undefined, `${name} ${rdma.kind}`).toBe(fabric === undefined);
      if (fabric && devices) {
        expect(new Set(devices.pci).size, name).toBe(fabric.device.perNode);
        expect(`nvidia.com/${devices.resourceName}`, name).toBe(fabric.device.resource);
        expect(fabric.device.network).toBe(`${devices.networkNamespace}/rdma-vf`);
      }
    }
  });

  it("are the platform's to offer where the cloud installs the operator, and pods get virtual functions", () => {
    const pools = { h100: pool("BM.GPU.H100.8", "virtual-functions"), host: pool("BM.GPU.H200.8", "host-network") };
    expect(devicePools({ gpuSoftware: "addon", pools }).map(({ name }) => name)).toEqual(["h100"]);
    expect(rdmaDeviceNamespaces({ gpuSoftware: "addon", pools })).toEqual(["rdma-devices"]);
    expect(devicePools({ gpuSoftware: "platform", pools })).toEqual([]);
    expect(devicePools({ gpuSoftware: "addon", pools: { host: pools.host } })).toEqual([]);
  });

  it("are those of a pool's own nodes, as Oracle has them for the shape", () => {
    const [found] = devicePools({ gpuSoftware: "addon", pools: { h100: pool("BM.GPU.H100.8", "virtual-functions") } });
    expect(found && nodePolicy(found)).toEqual({
      resourceName: "rdma-vf",
      nodeSelector: { "node.kubernetes.io/instance-type": "BM.GPU.H100.8", "inference-stacks.io/pool": "h100" },
      nicSelector: { vendor: "15b3", rootDevices: H100_PORTS },
      deviceType: "netdevice",
      numVfs: 1,
      mtu: 4220,
      priority: 90,
      isRdma: true,
      externallyManaged: true,
    });
  });

  it("are changed one node at a time in production, and have addresses of the network that is kept for them", () => {
    const pools = devicePools({
      gpuSoftware: "addon",
      pools: { b: pool("BM.GPU.H200.8", "virtual-functions"), a: pool("BM.GPU.H100.8", "virtual-functions") },
    });
    const machines = {
      key: "node.kubernetes.io/instance-type",
      operator: "In",
      values: ["BM.GPU.H100.8", "BM.GPU.H200.8"],
    };
    expect(poolConfig(pools, "production")).toEqual({
      maxUnavailable: 1,
      nodeSelector: { matchExpressions: [machines] },
    });
    expect(poolConfig(pools, "development").maxUnavailable).toBe("100%");
    expect(addressPool(pools, "172.28.0.0/16")).toEqual({
      subnet: "172.28.0.0/16",
      gateway: "172.28.0.1",
      perNodeBlockSize: 100,
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [machines] }] },
    });
    expect(() => addressPool(pools, "fd00::/48")).toThrow("no network of IPv4");
  });
});

describe("what waits for the operators", () => {
  const what = {
    namespaces: ["nvidia-network-operator"],
    crds: SRIOV_CRDS,
    rollouts: [{ namespace: "gpu-operator", daemonSet: "nvidia-container-toolkit-daemonset" }],
  };

  it("waits for what restarts the container runtime, then for kinds, with rights to read exactly these", () => {
    const said = (things: ReturnType<typeof waits>) => things.map((wait) => wait.arguments.join(" "));
    const definitions = SRIOV_CRDS.map((crd) => `customresourcedefinitions/${crd}`);
    const toolkit = "--namespace=gpu-operator";
    expect(said(settling(what))).toEqual([
      `wait --for=create --timeout=1800s ${toolkit} daemonsets/nvidia-container-toolkit-daemonset`,
      `rollout status --timeout=1800s ${toolkit} daemonset/nvidia-container-toolkit-daemonset`,
    ]);
    // One thing each: kubectl does not wait for the creation of several.
    expect(said(waits(what))).toEqual([
      ...["namespaces/nvidia-network-operator", ...definitions].map(
        (thing) => `wait --for=create --timeout=1800s ${thing}`,
      ),
      `wait --for=condition=Established --timeout=1800s ${definitions.join(" ")}`,
    ]);
    for (const { verbs, resourceNames } of rights(what)) {
      expect(verbs).toEqual(["get", "list", "watch"]);
      expect(resourceNames.length).toBeGreaterThan(0);
    }
    expect(rights(what).flatMap(({ resourceNames }) => resourceNames)).toEqual([
      "nvidia-network-operator",
      ...SRIOV_CRDS,
      "nvidia-container-toolkit-daemonset",
    ]);
    expect(rights({ ...what, rollouts: [] }).flatMap(({ resources }) => resources)).not.toContain("daemonsets");
  });
});

describe("the program of oci-h100", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await programRun("oci-h100");
  }, 120_000);

  const kinds = ["SriovNetworkNodePolicy", "SriovNetworkPoolConfig", "SriovNetwork", "IPPool"];

  it("tells the operator of its ports in resources that its kinds accept", () => {
    for (const kind of kinds) {
      const [resource, ...others] = run.deployment.ofKind(kind);
      expect(others, kind).toEqual([]);
      expect(resource?.inputs.metadata, kind).toMatchObject({ namespace: "nvidia-network-operator" });
      expect(crdProblems(resource?.inputs ?? {}), kind).toEqual([]);
    }
    const [network] = run.deployment.ofKind("SriovNetwork");
    const spec = network?.inputs.spec as { metaPlugins: string; ipam: string };
    expect(JSON.parse(spec.ipam)).toEqual({ type: "nv-ipam", poolName: "sriov-pool" });
    expect(JSON.parse(`[${spec.metaPlugins}]`)).toMatchObject([
      { type: "tuning", mtu: 4220, sysctl: { "net.ipv4.conf.all.rp_filter": "0" } },
      { type: "rdma" },
      { type: "sbr" },
    ]);
  });

  it("installs the network operator once the toolkit has settled, and waits for its kinds then", () => {
    const { resources } = run;
    const named = (name: string) => {
      const found = resources.find((resource) => resource.name === name);
      if (!found) {
        throw new Error(`there is no ${name}`);
      }
      return found;
    };
    const operator = named("cluster-addons-nvidia-network");
    const settled = named("platform-rdma-devices-operators-toolkit-settled-job");
    const ready = named("platform-rdma-devices-operators-wait-job");
    expect(operator.dependsOn).toContain(settled.urn);
    expect(ready.dependsOn).toContain(operator.urn);
    const order = new CreationOrder(resources);
    expect(order.before(settled)).toContain(named("cluster-addons-nvidia-operator").urn);
    expect(order.before(settled)).not.toContain(operator.urn);
  });

  it("has the operator in the cluster's own stack, which asks no Kubernetes API", async () => {
    const { resources } = await changedRun("oci-h100", { scope: "cluster" });
    const addons = resources.filter(({ inputs }) => inputs.addonName === "NvidiaNetworkOperator");
    expect(addons.map(({ name }) => name)).toEqual(["cluster-addons-nvidia-network"]);
    expect(resources.filter(({ type }) => type.startsWith("kubernetes:"))).toEqual([]);
  });

  it("gives addresses of the network that the environment keeps for them", async () => {
    const { environment } = run;
    if (environment.cluster.kind !== "oci") {
      throw new Error("oci-h100 is no OKE cluster");
    }
    const { oke, kind, provision } = environment.cluster;
    const { homeRegion: _, ...own } = oke ?? {};
    const cluster = { kind, provision, oke: { ...own, network: { rdma: "172.28.0.0/16" } } };
    const { deployment } = await changedRun("oci-h100", { cluster });
    expect(deployment.ofKind("IPPool")[0]?.inputs.spec).toMatchObject({
      subnet: "172.28.0.0/16",
      gateway: "172.28.0.1",
    });
  });
});
