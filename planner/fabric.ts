import { DEVICE_ACCESS, fabricAccess, fabricOf, ncclEnvironment } from "../catalog/fabrics";
import { imageUsesFabric } from "../catalog/images";
import type { PoolRequest } from "./request";
import type { NodeLink, OwnImage, PodResources, PoolFabric, PoolPlan } from "./types";

/** Pipeline stages exchange activations per step: slower links stall them (docs/decisions/0002). */
const MINIMUM_PIPELINE_GBPS = 10;

export const FABRIC_NAMES: Readonly<Record<PoolFabric["kind"], string>> = { roce: "RoCE", efa: "EFA" };

/** The pool's RDMA network for pods; undefined where nodes offer none, or one of no use. */
export function poolFabric({
  shape,
  rdmaAccess,
  rdmaTopologyLabel,
}: Pick<PoolRequest, "shape" | "rdmaAccess" | "rdmaTopologyLabel">): PoolFabric | undefined {
  const fabric = rdmaAccess && fabricOf(shape.name);
  if (!fabric || !fabricAccess(fabric.kind).includes(rdmaAccess)) {
    return undefined;
  }
  return {
    kind: fabric.kind,
    access: rdmaAccess,
    gbps: shape.rdma.gbps,
    device: fabric.device,
    ...(rdmaTopologyLabel !== undefined && { topologyLabel: rdmaTopologyLabel }),
    environment: ncclEnvironment(fabric, rdmaAccess),
  };
}

export interface CrossingProblem {
  readonly reason: string;
  readonly remedy?: string;
}

/**
 * Undefined where nodes of a replica are connected fast enough. RDMA that the image cannot use is
 * refused: stages would fall back to TCP silently although the pool offers the fabric.
 *
 * @param image catalogue name of the engine's image, or an own image, whose NCCL version is
 * unknown.
 * @param isNode the model's pods are nodes of a server group.
 */
export function crossingProblem(
  pool: Pick<PoolRequest, "name" | "shape" | "rdmaAccess">,
  image: string | OwnImage,
  isNode = false,
): CrossingProblem | undefined {
  const fabric = poolFabric(pool);
  if (fabric) {
    const name = FABRIC_NAMES[fabric.kind];
    if (isNode && fabric.access === "host-network") {
      return {
        reason: `its replicas over nodes are on the network of their nodes, where the proxy of an inference node would be open to all that reach the machine, past every NetworkPolicy`,
        remedy: `write pools.${pool.name}.rdma.access: ${DEVICE_ACCESS[fabric.kind]}, or leave the model out of nodes`,
      };
    }
    const isUsed = typeof image === "string" && imageUsesFabric(image, fabric.kind);
    return isUsed
      ? undefined
      : {
          reason: `its nodes offer ${name}, which NCCL in the image ${typeof image === "string" ? image : image.reference} is not known to use, so no model is spread over them`,
          remedy: `remove pools.${pool.name}.rdma: a model may then span its nodes, over TCP`,
        };
  }
  const { shape } = pool;
  const { networkGbps } = shape;
  return (networkGbps ?? 0) >= MINIMUM_PIPELINE_GBPS
    ? undefined
    : {
        reason: `its ${networkGbps ?? "unknown"} Gbit/s network is too slow to spread a model over nodes, which takes ${MINIMUM_PIPELINE_GBPS} Gbit/s`,
        remedy:
          shape.provider === "onprem"
            ? `join the machines by ${MINIMUM_PIPELINE_GBPS} Gbit/s and write pools.${pool.name}.node.networkGbps: ${MINIMUM_PIPELINE_GBPS}`
            : `take a shape with ${MINIMUM_PIPELINE_GBPS} Gbit/s or more for pools.${pool.name}`,
      };
}

/** A replica over several nodes has them to itself, with all RDMA devices. */
export function groupDevices(pool: Pick<PoolRequest, "shape" | "rdmaAccess">): Pick<PodResources, "extended"> {
  const { device, access } = poolFabric(pool) ?? {};
  return device && access !== "host-network" ? { extended: { [device.resource]: device.perNode } } : {};
}

/**
 * Link between a replica's nodes. Without devices NCCL uses TCP over Ethernet. EC2's figure for
 * machines with EFA covers all interfaces, of which TCP uses one: no speed is assumed.
 */
export function nodeLinkOf({ shape, fabric }: Pick<PoolPlan, "shape" | "fabric">): NodeLink {
  if (fabric) {
    const { perNode, network } = fabric.device;
    const hostNetwork = fabric.access === "host-network";
    const networks = network === undefined || hostNetwork ? [] : Array.from({ length: perNode }, () => network);
    return {
      transport: fabric.kind,
      gbps: fabric.gbps,
      hostNetwork,
      ...(fabric.topologyLabel !== undefined && { topologyLabel: fabric.topologyLabel }),
      networks,
      environment: fabric.environment,
    };
  }
  const { rdma, networkGbps } = shape;
  const isKnown = rdma.kind !== "efa" && networkGbps !== undefined;
  return { transport: "tcp", ...(isKnown && { gbps: networkGbps }), hostNetwork: false, networks: [], environment: {} };
}
