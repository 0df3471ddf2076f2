import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { GPU_NODE_IMAGES, type GpuNodeImage, gpuNodeImage } from "../../../catalog/gpu-node-images";
import type { GpuSharing } from "../../../catalog/gpu-sharing";
import { nodePlacement } from "../../../components/core/node-placement";
import { gpuSoftwareConnections } from "../../../components/gpu/connections";
import { GpuSoftware, type GpuSoftwareArgs, gpuSoftwareCharts } from "../../../components/gpu/gpu-software";
import { metricsNodes } from "../../../components/gpu/metrics-nodes";
import { makesDrivers } from "../../../components/gpu/nvidia";
import { NO_SLICES } from "../../../components/gpu/sharing";
import type { SoftwarePool } from "../../../components/gpu/software-pool";
import { deploy } from "../../harness/deploy";
import { okePool } from "../../harness/oke-pools";

interface Values {
  readonly [key: string]: Values | undefined;
}

const UNCERTIFIED = {
  key: "startup-taint.cluster-autoscaler.kubernetes.io/uncertified",
  effect: "NoSchedule",
} as const;

function pool(shape: string, more: Partial<SoftwarePool> = {}): SoftwarePool {
  return okePool(shape, { name: more.name ?? "pool", ...more }).plan;
}

const A10 = pool("VM.GPU.A10.1");
const H100 = pool("BM.GPU.H100.8", { name: "h100", startupTaints: [UNCERTIFIED] });
const MI300X = pool("BM.GPU.MI300X.8", { name: "mi300x" });
const EFA = pool("p5.48xlarge", {
  name: "p5",
  fabric: {
    kind: "efa",
    access: "efa",
    gbps: 3200,
    device: { resource: "vpc.amazonaws.com/efa", perNode: 32 },
    environment: {},
  },
});

function shared(sharing: GpuSharing): SoftwarePool {
  return pool("BM.GPU.H100.8", { name: "shared", sharing });
}

/** Values of the charts by name. */
function valuesOf(pools: readonly SoftwarePool[], image: GpuNodeImage = "bare"): Record<string, Values> {
  return Object.fromEntries(
    gpuSoftwareCharts(pools, image).map(({ chart, values }) => [chart, values as unknown as Values]),
  );
}

const TOLERATED = [
  { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
  { key: "dedicated", operator: "Equal", value: "inference", effect: "NoSchedule" },
];

describe("the GPU operator", () => {
  it.each([
    ["al2023", false, false],
    ["oke-oracle-linux", false, true],
    ["oke-ubuntu", false, true],
    ["k3s", false, false],
    ["bare", true, true],
  ] as const)(
    "adds to nodes of %s: a driver %s, a toolkit %s, and always the device plugin",
    (image, driver, toolkit) => {
      const operator = valuesOf([A10], image)["gpu-operator"];
      expect(operator).toMatchObject({
        driver: { enabled: driver, upgradePolicy: { autoUpgrade: false } },
        toolkit: { enabled: toolkit },
        devicePlugin: { enabled: true, env: [{ name: "MOFED_ENABLED", value: "false" }] },
        gfd: { enabled: true },
      });
      expect(makesDrivers([A10], image)).toBe(driver);
    },
  );

  it("does not run beside a device plugin that nodes boot", () => {
    expect(GPU_NODE_IMAGES.filter((image) => gpuNodeImage(image).devicePlugin)).toEqual(["bottlerocket"]);
    expect(valuesOf([A10], "bottlerocket")).toEqual({});
    expect(makesDrivers([A10], "bottlerocket")).toBe(false);
  });

  it("labels nodes of the planned pools alone, and is on them before they were looked at", () => {
    const { "gpu-operator": operator } = valuesOf([A10, H100, MI300X]);
    const tolerations = [...TOLERATED, { ...UNCERTIFIED, operator: "Exists" }];
    expect(operator?.daemonsets).toEqual({ tolerations });
    expect(operator?.["node-feature-discovery"]).toEqual({
      worker: {
        tolerations,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: ["VM.GPU.A10.1", "BM.GPU.H100.8"].map((shape) => ({
                matchExpressions: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: [shape] }],
              })),
            },
          },
        },
      },
    });
  });

  it("leaves metrics to the platform's exporter, and virtual machines alone", () => {
    const { "gpu-operator": operator } = valuesOf([A10]);
    const off = Object.entries(operator ?? {}).flatMap(([part, values]) =>
      Object(values).enabled === false ? [part] : [],
    );
    expect(off.sort()).toEqual([
      "ccManager",
      "dcgm",
      "dcgmExporter",
      "kataSandboxDevicePlugin",
      "migManager",
      "nodeStatusExporter",
      "sandboxDevicePlugin",
      "sandboxWorkloads",
      "vfioManager",
      "vgpuDeviceManager",
      "vgpuManager",
    ]);
  });
});

describe("parts of cards", () => {
  const mig = shared({ mig: "all-1g.10gb" });
  const fourTurns = shared({ timeSlicing: { replicas: 4 } });
  const twoTurns = shared({ timeSlicing: { replicas: 2 } });

  it("are made by the MIG manager, of nodes without a label where all pools are parted alike", () => {
    expect(valuesOf([mig, { ...mig, name: "more" }])["gpu-operator"]).toMatchObject({
      mig: { strategy: "mixed" },
      migManager: { enabled: true, config: { default: "all-1g.10gb" } },
    });
    for (const other of [A10, fourTurns, shared({ mig: "all-2g.20gb" })]) {
      expect(valuesOf([mig, other])["gpu-operator"]).toMatchObject({
        migManager: { enabled: true, config: { default: NO_SLICES } },
      });
    }
    expect(valuesOf([A10])["gpu-operator"]).toMatchObject({ migManager: { enabled: false } });
  });

  it("take a reboot where the cloud lets nobody reset cards", () => {
    const aws = { ...pool("p5.48xlarge"), sharing: { mig: "all-1g.10gb" } };
    const manager = (pools: SoftwarePool[]) => valuesOf(pools, "al2023")["gpu-operator"]?.migManager;
    expect(manager([aws])).toMatchObject({ env: [{ name: "WITH_REBOOT", value: "true" }] });
    expect(manager([mig])).not.toHaveProperty("env");
    expect(manager([EFA])).not.toHaveProperty("env");
  });

  it("are turns by configurations of the device plugin, one for each number", () => {
    const turns = (replicas: number) =>
      `version: v1\nsharing:\n  timeSlicing:\n    renameByDefault: true\n    failRequestsGreaterThanOne: true\n    resources:\n      - name: nvidia.com/gpu\n        replicas: ${replicas}\n`;
    expect(valuesOf([fourTurns, twoTurns, A10])["gpu-operator"]?.devicePlugin?.config).toEqual({
      create: true,
      name: "inference-device-plugin",
      default: "whole-cards",
      data: { "whole-cards": "version: v1\n", "time-slices-2": turns(2), "time-slices-4": turns(4) },
    });
    expect(valuesOf([fourTurns, fourTurns])["gpu-operator"]?.devicePlugin?.config).toMatchObject({
      default: "time-slices-4",
    });
    expect(valuesOf([A10])["gpu-operator"]?.devicePlugin).not.toHaveProperty("config");
  });
});

describe("other vendors' device plugins", () => {
  it("come for the cards and interfaces that pools have", () => {
    expect(Object.keys(valuesOf([MI300X]))).toEqual(["amd-gpu"]);
    expect(Object.keys(valuesOf([A10, MI300X, EFA], "al2023"))).toEqual([
      "gpu-operator",
      "amd-gpu",
      "aws-efa-k8s-device-plugin",
    ]);
    expect(valuesOf([MI300X])["amd-gpu"]?.tolerations).toEqual([
      { key: "amd.com/gpu", operator: "Exists", effect: "NoSchedule" },
      TOLERATED[1],
    ]);
    expect(valuesOf([EFA], "bottlerocket")["aws-efa-k8s-device-plugin"]).toMatchObject({
      supportedInstanceLabels: { values: ["p5.48xlarge"] },
      tolerations: TOLERATED,
    });
  });

  it("are not there for pools without GPUs", () => {
    expect(gpuSoftwareCharts([pool("VM.Standard.E5.Flex")], "bare")).toEqual([]);
  });
});

describe("values", () => {
  it.each(GPU_NODE_IMAGES)("are values that the charts have, with everything, on nodes of %s", (image) => {
    const parted = [{ ...EFA, sharing: { mig: "all-1g.10gb" } }, shared({ timeSlicing: { replicas: 3 } }), MI300X];
    const all = Object.entries(valuesOf(parted, image));
    expect(all.length).toBeGreaterThanOrEqual(2);
    expect(all.flatMap(([chart, values]) => chartValueProblems(chart, values))).toEqual([]);
  });
});

describe("GpuSoftware", () => {
  const made = async (args: GpuSoftwareArgs, preview = false) => {
    let ready: readonly unknown[] = [];
    const deployment = await deploy(
      () => {
        ({ ready } = new GpuSoftware("gpu-software", args));
      },
      { preview },
    );
    return { deployment, ready };
  };

  it.each([false, true])("is charts in a namespace of their own (preview: %s)", async (preview) => {
    const { deployment, ready } = await made({ by: "platform", image: "bare", pools: [A10, MI300X] }, preview);
    const releases = deployment.ofType("kubernetes:helm.sh/v3:Release");
    expect(releases.map(({ name, inputs }) => [name, inputs.name, inputs.version])).toEqual([
      ["gpu-software-charts-gpu-operator", "gpu-operator", "v26.7.1"],
      ["gpu-software-charts-amd-gpu", "amd-gpu", "0.21.0"],
    ]);
    expect(ready).toHaveLength(2);
    expect(deployment.ofType("kubernetes:core/v1:Namespace")[0]?.inputs.metadata).toMatchObject({
      name: "gpu-software",
      labels: { "pod-security.kubernetes.io/enforce": "privileged" },
    });
  });

  it("is the configurations alone where the cloud runs the operator", async () => {
    const turns = shared({ timeSlicing: { replicas: 4 } });
    const { deployment, ready } = await made({ by: "addon", namespace: "gpu-operator", pools: [A10, turns] });
    expect(deployment.ofType("kubernetes:core/v1:Namespace")).toEqual([]);
    expect(deployment.ofType("kubernetes:helm.sh/v3:Release")).toEqual([]);
    const { inputs } = deployment.resource("kubernetes:core/v1:ConfigMap", "gpu-software-configurations");
    expect(inputs).toMatchObject({
      metadata: { name: "inference-device-plugin", namespace: "gpu-operator" },
      data: { "whole-cards": "version: v1\n", "time-slices-4": expect.stringContaining("replicas: 4") },
    });
    expect(ready).toHaveLength(1);
  });
});

describe("nodes of the exporters", () => {
  const machine = { "node.kubernetes.io/instance-type": "BM.GPU.H100.8" };
  const on = (pool: SoftwarePool, image: GpuNodeImage) =>
    metricsNodes(pool, { by: "platform", software: { by: "platform", image, pools: [pool] } });

  it("are those whose cards are parted, while somebody we know parts them", () => {
    const mig = shared({ mig: "all-1g.10gb" });
    const parted = { ...machine, "nvidia.com/mig.config.state": "success" };
    expect(on(mig, "al2023").nodeSelector).toEqual(parted);
    expect(metricsNodes(mig, { by: "addon", software: undefined }).nodeSelector).toEqual(parted);
    expect(metricsNodes(mig, { by: "present", software: undefined }).nodeSelector).toEqual(machine);
    expect(on(H100, "al2023").nodeSelector).toEqual(machine);
  });

  it("have a driver first, where one is made on them", () => {
    expect(on(H100, "bare").having).toEqual(["nvidia.com/cuda.driver-version.major"]);
    expect(on(H100, "al2023").having).toBeUndefined();
    expect(on(MI300X, "bare").having).toBeUndefined();
    const [term] = Object(nodePlacement([on(H100, "bare")]).affinity).nodeAffinity
      .requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(term.matchExpressions).toEqual([
      { key: "node.kubernetes.io/instance-type", operator: "In", values: ["BM.GPU.H100.8"] },
      { key: "nvidia.com/cuda.driver-version.major", operator: "Exists" },
    ]);
  });
});

describe("its connections", () => {
  const NETWORKS = { privateCidrs: [], apiServerCidrs: ["10.0.0.0/28"] };

  it("are the Kubernetes API, and packages where drivers are compiled", () => {
    const names = (drivers: boolean) =>
      gpuSoftwareConnections({ makesDrivers: drivers }, NETWORKS).map(({ name }) => name);
    expect(names(false)).toEqual(["gpu-software-to-kubernetes-api"]);
    expect(names(true)).toEqual(["gpu-software-to-kubernetes-api", "gpu-drivers-to-packages"]);
  });
});
