import { type GpuNodeImage, gpuNodeImage } from "../../catalog/gpu-node-images";
import { DEVICE_PLUGIN_CONFIG, NO_HOST_RDMA } from "../../names/gpu-sharing";
import type { HelmValues } from "../core/chart-release";
import type { ControllerChart } from "../core/controller";
import { nodePlacement } from "../core/node-placement";
import { burstable, quantities } from "../core/resources";
import { defaultSlices, devicePluginConfigurations, isParted } from "./sharing";
import { nodesOf, poolsOf, type SoftwarePool } from "./software-pool";

/** Its release: objects of its are named after it. */
export const GPU_OPERATOR = "gpu-operator";

/**
 * Of each container, of which a node has up to eight. Almost nothing is requested, as NVIDIA requests nothing: they wait most of
 * their time, and plans count them with what an owner runs on each node besides (catalog/node-agents.json).
 */
const AGENT = quantities(
  burstable(
    { cpu: 0.005, memoryGiB: 1 / 64, ephemeralStorageGiB: 1 / 64 },
    { cpu: 1, memoryGiB: 0.5, ephemeralStorageGiB: 1 },
  ),
);

const OPERATOR = quantities(
  burstable(
    { cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 0.125 },
    { cpu: 0.5, memoryGiB: 1, ephemeralStorageGiB: 1 },
  ),
);

/** It compiles modules for the kernel that it finds. */
const DRIVER = quantities(
  burstable({ cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 1 }, { cpu: 4, memoryGiB: 8, ephemeralStorageGiB: 20 }),
);

/**
 * NVIDIA's operator for the nodes of the planned pools, with what their image does not bring. Undefined where there is nothing
 * for it to do: no NVIDIA cards, or a device plugin that nodes boot with.
 */
export function nvidiaOperator(pools: readonly SoftwarePool[], image: GpuNodeImage): ControllerChart | undefined {
  const nvidia = poolsOf("nvidia", pools);
  const brings = gpuNodeImage(image);
  if (nvidia.length === 0 || brings.devicePlugin) {
    return undefined;
  }
  return { chart: "gpu-operator", release: GPU_OPERATOR, values: operatorValues(nvidia, brings) };
}

/** Whether the operator makes drivers on the nodes, from packages that it downloads. */
export function makesDrivers(pools: readonly SoftwarePool[], image: GpuNodeImage): boolean {
  return nvidiaOperator(pools, image) !== undefined && !gpuNodeImage(image).driver;
}

function operatorValues(pools: readonly SoftwarePool[], brings: { driver: boolean; toolkit: boolean }): HelmValues {
  const { affinity, tolerations } = nodePlacement(pools.map(nodesOf));
  const configurations = devicePluginConfigurations(pools);
  return {
    operator: { resources: OPERATOR },
    // The operator goes by what it labels: cards of others in the cluster stay as they are.
    "node-feature-discovery": { worker: { affinity, tolerations } },
    daemonsets: { tolerations },
    driver: {
      enabled: !brings.driver,
      resources: DRIVER,
      // A new driver unloads what runs on the cards: that is for people to choose the hour of.
      upgradePolicy: { autoUpgrade: false },
    },
    toolkit: { enabled: !brings.toolkit, resources: AGENT },
    // The chart's default, which pods count on (stacks/gpu-access.ts).
    cdi: { enabled: true },
    devicePlugin: {
      enabled: true,
      resources: AGENT,
      env: [{ name: "MOFED_ENABLED", value: NO_HOST_RDMA }],
      ...(configurations && { config: { create: true, name: DEVICE_PLUGIN_CONFIG, ...configurations } }),
    },
    gfd: { enabled: true, resources: AGENT },
    mig: { strategy: "mixed" },
    migManager: {
      enabled: pools.some(isParted),
      resources: AGENT,
      config: { default: defaultSlices(pools) },
      // Clouds let nobody reset a card of a virtual machine.
      ...(pools.some((pool) => isParted(pool) && pool.shape.provider === "aws") && {
        env: [{ name: "WITH_REBOOT", value: "true" }],
      }),
    },
    validator: { resources: AGENT },
    // The platform's own exporter is on every GPU node, whoever brings the driver.
    dcgm: { enabled: false },
    dcgmExporter: { enabled: false, serviceMonitor: { enabled: false } },
    nodeStatusExporter: { enabled: false },
    // Of virtual machines, which no model runs in.
    sandboxWorkloads: { enabled: false },
    sandboxDevicePlugin: { enabled: false },
    kataSandboxDevicePlugin: { enabled: false },
    vfioManager: { enabled: false },
    vgpuManager: { enabled: false },
    vgpuDeviceManager: { enabled: false },
    ccManager: { enabled: false },
  };
}
