import { DEFAULT_GPU_NODE_IMAGE, type GpuNodeImage } from "../catalog/gpu-node-images";
import { okeAddon } from "../catalog/oke";
import { needsNvidiaOperator } from "../components/cluster/oke/addon-table";
import type { Cluster } from "../components/core/cluster";
import { type GpuSoftwareArgs, installsGpuSoftware } from "../components/gpu/gpu-software";
import { nvidiaOperator } from "../components/gpu/nvidia";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig } from "./config";

interface Where {
  readonly environment: { readonly cluster: Pick<ClusterConfig, "kind" | "gpuNodeImage"> };
  readonly plan: Pick<DeploymentPlan, "pools">;
  readonly cluster: Pick<Cluster, "gpuSoftware">;
}

/** Undefined where the platform installs none. */
export function gpuSoftware({ environment, plan: { pools }, cluster }: Where): GpuSoftwareArgs | undefined {
  const args = argsOf(environment.cluster, pools, cluster.gpuSoftware);
  return args && installsGpuSoftware(args) ? args : undefined;
}

function argsOf(
  section: Pick<ClusterConfig, "kind" | "gpuNodeImage">,
  pools: DeploymentPlan["pools"],
  by: Cluster["gpuSoftware"],
): GpuSoftwareArgs | undefined {
  if (by === "platform") {
    // AMD nodes have no image setting.
    const isNvidia = pools.some(({ shape }) => shape.gpu?.vendor === "nvidia");
    return { by, pools, image: isNvidia ? gpuNodeImageOf(section) : "bare" };
  }
  const { namespace } = okeAddon("NvidiaGpuOperator");
  return by === "addon" && section.kind === "oci" && namespace !== undefined ? { by, pools, namespace } : undefined;
}

/**
 * CDI is used with NVIDIA's operator, ours or the cloud's (gpu-operator v26.7.0 configures
 * "cdi-annotations,cdi-cri"). Unknown for existing software.
 */
export function devicesByCdi(where: Where, software = gpuSoftware(where)): boolean {
  if (software?.by === "platform") {
    return nvidiaOperator(software.pools, software.image) !== undefined;
  }
  return where.cluster.gpuSoftware === "addon" && where.plan.pools.some(needsNvidiaOperator);
}

/**
 * @throws Error where unknown: validation requires it for clusters that this program provisions or
 * knows.
 */
export function gpuNodeImageOf({ kind, gpuNodeImage }: Pick<ClusterConfig, "kind" | "gpuNodeImage">): GpuNodeImage {
  const image = gpuNodeImage ?? DEFAULT_GPU_NODE_IMAGE[kind];
  if (image === undefined) {
    throw new Error(
      `cluster.gpuNodeImage: the stack that made the cluster leaves GPU software to the platform, and nothing is known of what GPU nodes of kind ${kind} boot: add it`,
    );
  }
  return image;
}
