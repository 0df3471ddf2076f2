import { DEVICE_ACCESS, fabricAccess, fabricOf, ncclEnvironment } from "../catalog/fabrics";
import { imageUsesFabric } from "../catalog/images";
import type { PoolRequest } from "./request";
import type { NodeLink, OwnImage, PodResources, PoolFabric, PoolPlan } from "./types";

/** Pipeline stages exchange activations per step. Slower links stall them (docs/decisions/0002). */
const MINIMUM_PIPELINE_GBPS = 10;

/** What people call the networks. */
export const FABRIC_NAMES: Readonly<Record<PoolFabric["kind"], string>> = { roce: "RoCE", efa: "EFA" };

/** The RDMA network that pods of the pool get; undefined where its nodes offer none, or its machines have none of use. */
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

/** Why no replica may span nodes of a pool, and what would mend it. */
export interface CrossingProblem {
  readonly reason: string;
  readonly remedy?: string;
}

/**
 * Undefined where the nodes of one replica reach each other fast enough. Where a pool offers RDMA that the image cannot
 * use, its stages would talk TCP although somebody made the fabric for them: that is refused, not done in silence.
 *
 * @param image catalogue name of the engine's image, or the user's own, whose NCCL version is unknown.
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
        reason: `its replicas over nodes are on the network of their nodes, where the proxy of an inference node would be open to whoever reaches the machine, past every NetworkPolicy`,
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

/** RDMA devices of each pod of a replica that spans nodes: it has its nodes to itself, so all that they have. */
export function groupDevices(pool: Pick<PoolRequest, "shape" | "rdmaAccess">): Pick<PodResources, "extended"> {
  const { device, access } = poolFabric(pool) ?? {};
  return device && access !== "host-network" ? { extended: { [device.resource]: device.perNode } } : {};
}

/**
 * What the nodes of a replica talk over. Without devices NCCL takes TCP on the machine's Ethernet. EC2's figure for a
 * machine with EFA is that of all interfaces together, of which a pod's TCP uses one: no speed is claimed there.
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
