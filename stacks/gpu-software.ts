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

/** What of the software of GPUs the platform installs; undefined where there is nothing left to it. */
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
    // Of AMD's nodes, nobody asks what they boot.
    const isNvidia = pools.some(({ shape }) => shape.gpu?.vendor === "nvidia");
    return { by, pools, image: isNvidia ? gpuNodeImageOf(section) : "bare" };
  }
  const { namespace } = okeAddon("NvidiaGpuOperator");
  return by === "addon" && section.kind === "oci" && namespace !== undefined ? { by, pools, namespace } : undefined;
}

/**
 * Whether pods get NVIDIA's cards by CDI: where NVIDIA's operator runs, ours or the cloud's (gpu-operator v26.7.0 has its device plugin
 * use "cdi-annotations,cdi-cri"). Nobody says it of software that was there before.
 */
export function devicesByCdi(where: Where, software = gpuSoftware(where)): boolean {
  if (software?.by === "platform") {
    return nvidiaOperator(software.pools, software.image) !== undefined;
  }
  return where.cluster.gpuSoftware === "addon" && where.plan.pools.some(needsNvidiaOperator);
}

/**
 * What GPU nodes of a cluster boot.
 *
 * @throws Error where nobody says: of a cluster that this program makes or knows, validation asks for it before.
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
