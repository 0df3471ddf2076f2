import { type GpuNodeImage, gpuNodeImage } from "../../catalog/gpu-node-images";
import { DEVICE_PLUGIN_CONFIG, NO_HOST_RDMA } from "../../names/gpu-sharing";
import type { HelmValues } from "../core/chart-release";
import type { ControllerChart } from "../core/controller";
import { nodePlacement } from "../core/node-placement";
import { burstable, quantities } from "../core/resources";
import { defaultSlices, devicePluginConfigurations, isParted } from "./sharing";
import { nodesOf, poolsOf, type SoftwarePool } from "./software-pool";

/** Release name, and prefix of its objects. */
export const GPU_OPERATOR = "gpu-operator";

/**
 * Per container, up to eight on a node. Minimal requests, as NVIDIA sets none: mostly idle, and
 * part of node overhead (catalog/node-agents.json).
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

/** Compiles kernel modules on the node. */
const DRIVER = quantities(
  burstable({ cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 1 }, { cpu: 4, memoryGiB: 8, ephemeralStorageGiB: 20 }),
);

/**
 * NVIDIA's operator for planned pools, with components that their image lacks. Undefined if there
 * are no NVIDIA cards, or the node image has a device plugin.
 */
export function nvidiaOperator(pools: readonly SoftwarePool[], image: GpuNodeImage): ControllerChart | undefined {
  const nvidia = poolsOf("nvidia", pools);
  const brings = gpuNodeImage(image);
  if (nvidia.length === 0 || brings.devicePlugin) {
    return undefined;
  }
  return { chart: "gpu-operator", release: GPU_OPERATOR, values: operatorValues(nvidia, brings) };
}

/** Whether the operator builds drivers on nodes from downloaded packages. */
export function makesDrivers(pools: readonly SoftwarePool[], image: GpuNodeImage): boolean {
  return nvidiaOperator(pools, image) !== undefined && !gpuNodeImage(image).driver;
}

function operatorValues(pools: readonly SoftwarePool[], brings: { driver: boolean; toolkit: boolean }): HelmValues {
  const { affinity, tolerations } = nodePlacement(pools.map(nodesOf));
  const configurations = devicePluginConfigurations(pools);
  return {
    operator: { resources: OPERATOR },
    // The operator selects nodes by its labels, so other GPUs in the cluster are unaffected.
    "node-feature-discovery": { worker: { affinity, tolerations } },
    daemonsets: { tolerations },
    driver: {
      enabled: !brings.driver,
      resources: DRIVER,
      // A driver update stops GPU workloads, so operators choose the time.
      upgradePolicy: { autoUpgrade: false },
    },
    toolkit: { enabled: !brings.toolkit, resources: AGENT },
    // The chart's default, on which pods depend (stacks/gpu-access.ts).
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
      // Clouds do not allow GPU resets on virtual machines.
      ...(pools.some((pool) => isParted(pool) && pool.shape.provider === "aws") && {
        env: [{ name: "WITH_REBOOT", value: "true" }],
      }),
    },
    validator: { resources: AGENT },
    // The platform's exporter runs on every GPU node.
    dcgm: { enabled: false },
    dcgmExporter: { enabled: false, serviceMonitor: { enabled: false } },
    nodeStatusExporter: { enabled: false },
    // For virtual machines, which run no models.
    sandboxWorkloads: { enabled: false },
    sandboxDevicePlugin: { enabled: false },
    kataSandboxDevicePlugin: { enabled: false },
    vfioManager: { enabled: false },
    vgpuManager: { enabled: false },
    vgpuDeviceManager: { enabled: false },
    ccManager: { enabled: false },
  };
}
