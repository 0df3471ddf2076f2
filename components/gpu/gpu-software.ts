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

/** Who brings it, and what of it is left to the platform. */
export type GpuSoftwareArgs = {
  /** Of the whole cluster. */
  readonly pools: readonly SoftwarePool[];
} & (
  | {
      readonly by: "platform";
      /** What nodes with NVIDIA cards boot. */
      readonly image: GpuNodeImage;
    }
  | {
      /** The cloud: it runs NVIDIA's operator. */
      readonly by: "addon";
      /** Namespace of the operator, which the cloud makes. */
      readonly namespace: string;
    }
);

/** The charts of a cluster whose software is the platform's: none where its nodes bring everything. */
export function gpuSoftwareCharts(pools: readonly SoftwarePool[], image: GpuNodeImage): ControllerChart[] {
  return [nvidiaOperator(pools, image), amdPlugin(pools), efaPlugin(pools)].flatMap((chart) => chart ?? []);
}

/** Whether something of it is the platform's to install. */
export function installsGpuSoftware(args: GpuSoftwareArgs): boolean {
  return args.by === "platform"
    ? gpuSoftwareCharts(args.pools, args.image).length > 0
    : devicePluginConfigurations(poolsOf("nvidia", args.pools)) !== undefined;
}

/**
 * What makes GPUs, their parts and RDMA devices of nodes into something that pods can ask for: drivers, container toolkits and
 * device plugins, as far as neither nodes nor the cloud bring them.
 */
export class GpuSoftware extends PlatformComponent {
  /** Before it, nodes may have nothing to offer. */
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

  /** Pods of the cloud's device plugin start once it is there. */
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
