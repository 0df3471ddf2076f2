import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { GpuNodeImage } from "../../catalog/gpu-node-images";
import { DEVICE_PLUGIN_CONFIG } from "../../names/gpu-sharing";
import { standardLabels } from "../../names/labels";
import { GPU_SOFTWARE_NAMESPACE } from "../../names/namespaces";
import { Controller, type ControllerChart } from "../core/controller";
import { PlatformComponent } from "../core/platform-component";
import { amdPlugin } from "./amd";
import { efaPlugin } from "./efa";
import { nvidiaOperator } from "./nvidia";
import { devicePluginConfigurations } from "./sharing";
import { poolsOf, type SoftwarePool } from "./software-pool";

/** Provider of the GPU software. */
export type GpuSoftwareArgs = {
  readonly pools: readonly SoftwarePool[];
} & (
  | {
      readonly by: "platform";
      readonly image: GpuNodeImage;
    }
  | {
      /** The cloud runs NVIDIA's operator. */
      readonly by: "addon";
      /** Namespace of the operator, created by the cloud. */
      readonly namespace: string;
    }
);

/** Charts for platform-managed GPU software: none if node images provide everything. */
export function gpuSoftwareCharts(pools: readonly SoftwarePool[], image: GpuNodeImage): ControllerChart[] {
  return [nvidiaOperator(pools, image), amdPlugin(pools), efaPlugin(pools)].flatMap((chart) => chart ?? []);
}

export function installsGpuSoftware(args: GpuSoftwareArgs): boolean {
  return args.by === "platform"
    ? gpuSoftwareCharts(args.pools, args.image).length > 0
    : devicePluginConfigurations(poolsOf("nvidia", args.pools)) !== undefined;
}

/**
 * Exposes GPUs, slices and RDMA devices to pods: drivers, container toolkits and device plugins
 * missing on nodes and cloud.
 */
export class GpuSoftware extends PlatformComponent {
  /** Before this, nodes may advertise no devices. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: GpuSoftwareArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gpu:GpuSoftware", name, opts);
    this.ready =
      args.by === "platform"
        ? new Controller(
            this.child("charts"),
            {
              namespace: GPU_SOFTWARE_NAMESPACE,
              contents: () => ({
                charts: gpuSoftwareCharts(args.pools, args.image).map((chart) => ({ suffix: chart.chart, ...chart })),
              }),
            },
            this.childOptions(),
          ).releases
        : this.configurations(args);
    this.registerOutputs({});
  }

  /** Pods of the cloud's device plugin need it to start. */
  private configurations({ pools, namespace }: Extract<GpuSoftwareArgs, { by: "addon" }>): pulumi.Resource[] {
    const configurations = devicePluginConfigurations(poolsOf("nvidia", pools));
    return configurations === undefined
      ? []
      : [
          new kubernetes.core.v1.ConfigMap(
            this.child("configurations"),
            {
              metadata: {
                name: DEVICE_PLUGIN_CONFIG,
                namespace,
                labels: standardLabels("gpu-software", DEVICE_PLUGIN_CONFIG),
              },
              data: { ...configurations.data },
            },
            this.childOptions(),
          ),
        ];
  }
}
