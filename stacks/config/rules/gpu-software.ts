import {
  cloudOfGpuNodeImage,
  DEFAULT_GPU_NODE_IMAGE,
  GPU_NODE_IMAGES,
  gpuNodeImage,
  gpuNodeImagesOf,
} from "../../../catalog/gpu-node-images";
import type { ClusterKind } from "../../../planner/types";
import { knownMachine, type Rule, type RuleContext } from "../core/rule";

/** GPU software of a provisioned cluster. */
const OF_MADE: Readonly<Record<ClusterKind, string>> = {
  oci: "its cloud's own add-ons",
  aws: "its cloud's own add-ons",
  edge: "what the platform installs on k3s",
  local: "no GPUs",
};

/** Provisioning decides on GPU software; for existing clusters the environment does. */
export const gpuSoftwareIsOfTheCluster: Rule = function* ({ sections: { cluster } }) {
  if (!cluster) {
    return;
  }
  const { provision, gpuSoftware, gpuNodeImage: image } = cluster;
  if (gpuSoftware === "platform" && provision !== "existing") {
    yield {
      path: ["cluster", "gpuSoftware"],
      value: gpuSoftware,
      allowed:
        provision === "create"
          ? `only with provision: existing: a cluster that is made here has ${OF_MADE[cluster.kind]}`
          : "only with provision: existing: the stack that made the cluster says who brings it (gpuSoftware of its output)",
      fix: "remove gpuSoftware, or write provision: existing",
    };
  }
  if (image !== undefined && gpuSoftware !== "platform" && provision !== "stack") {
    yield {
      path: ["cluster", "gpuNodeImage"],
      value: image,
      allowed: "only with gpuSoftware: platform: it has no effect otherwise",
      fix: "write gpuSoftware: platform, or remove gpuNodeImage",
    };
  }
};

/** GPU node images are known, and of this cloud. */
export const gpuNodeImageIsKnown: Rule = function* (context) {
  const { cluster } = context.sections;
  if (!cluster) {
    return;
  }
  const { kind, gpuSoftware, gpuNodeImage: image } = cluster;
  const [nvidia] = nvidiaPools(context);
  if (gpuSoftware === "platform" && nvidia && image === undefined && DEFAULT_GPU_NODE_IMAGE[kind] === undefined) {
    yield {
      path: ["cluster", "gpuNodeImage"],
      value: undefined,
      allowed: `what the nodes of pool ${nvidia} boot, one of ${GPU_NODE_IMAGES.join(", ")}: it decides what of driver and container toolkit is missing`,
      fix: `add gpuNodeImage: ${GPU_NODE_IMAGES.map((name) => `${name} (${gpuNodeImage(name).what})`).join(", ")}`,
    };
  }
  const cloud = image && cloudOfGpuNodeImage(image);
  if (image && cloud && kind !== "local" && kind !== cloud) {
    yield {
      path: ["cluster", "gpuNodeImage"],
      value: image,
      allowed: `what nodes of kind ${kind} boot, one of ${gpuNodeImagesOf(kind).join(", ")}: ${image} is of kind ${cloud}`,
      fix: `write ${DEFAULT_GPU_NODE_IMAGE[kind]}, or kind: ${cloud}`,
    };
  }
};

/** The platform's software supports its pools' settings. */
export const gpuSoftwareCanServe: Rule = function* (context) {
  const { cluster, pools = {} } = context.sections;
  if (cluster?.provision !== "existing" || cluster.gpuSoftware !== "platform") {
    return;
  }
  const image = cluster.gpuNodeImage ?? DEFAULT_GPU_NODE_IMAGE[cluster.kind];
  for (const [name, pool] of Object.entries(pools)) {
    if (pool.sharing && image && gpuNodeImage(image).devicePlugin && nvidiaPools(context).includes(name)) {
      yield {
        path: ["pools", name, "sharing"],
        value: pool.sharing,
        allowed: `not with gpuNodeImage: ${image}: its nodes have their own device plugin, which excludes NVIDIA's operator`,
        fix: "part the cards in the nodes' user data (settings.kubelet-device-plugins.nvidia) and write gpuSoftware: present, or take another image",
      };
    }
    if (pool.rdma?.access === "virtual-functions") {
      yield {
        path: ["pools", name, "rdma", "access"],
        value: pool.rdma.access,
        allowed:
          "not with gpuSoftware: platform: NVIDIA's network operator, which makes virtual functions, is installed on clusters that are made here alone",
        fix: "install it and write gpuSoftware: present, or write access: host-network",
      };
    }
  }
};

function nvidiaPools({ sections: { pools = {} } }: RuleContext): string[] {
  return Object.entries(pools).flatMap(([name, pool]) => (knownMachine(pool)?.gpu?.vendor === "nvidia" ? [name] : []));
}
