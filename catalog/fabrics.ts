import table from "./fabrics.json";
import { findShape } from "./shapes";

export type FabricKind = "roce" | "efa";

/** How a pod reaches the RDMA network through devices of its own, which a device plugin gives it. */
export const DEVICE_ACCESS = { roce: "virtual-functions", efa: "efa" } as const satisfies Record<FabricKind, string>;

export type DeviceAccess = (typeof DEVICE_ACCESS)[FabricKind];

/** How a pod reaches the RDMA network: through devices of its own, or through those of its node. */
export const FABRIC_ACCESS = [...Object.values(DEVICE_ACCESS), "host-network"] as const;

export type FabricAccess = (typeof FABRIC_ACCESS)[number];

/**
 * The ways to a network, the usual one first. The devices of EFA come from a device plugin in every case, so that the host's
 * network would open doors and give nothing.
 */
export function fabricAccess(kind: FabricKind): readonly FabricAccess[] {
  return kind === "roce" ? [DEVICE_ACCESS.roce, "host-network"] : [DEVICE_ACCESS.efa];
}

/** Virtual functions or EFA interfaces, as device plugins offer them. */
export interface FabricDevice {
  /** Extended resource that a pod asks for. */
  readonly resource: string;
  readonly perNode: number;
  /** NetworkAttachmentDefinition, "namespace/name", that gives a pod one virtual function. RoCE only. */
  readonly network?: string;
}

/** Published measurement of an all-reduce over two whole nodes of a shape. */
export interface AllReduceFigure {
  /** Bus bandwidth, GB/s as nccl-tests says it. */
  readonly busGBps: number;
  readonly source: string;
}

/** What NCCL and the scheduler need to know about the RDMA network of one shape. */
export interface Fabric {
  readonly shape: string;
  readonly kind: FabricKind;
  /** RDMA devices of the host, written out in NCCL's order. Empty for EFA, which libfabric finds by itself. */
  readonly hcas: readonly string[];
  /** Settings that hold in every mode: see ncclEnvironment for the full set. */
  readonly environment: Readonly<Record<string, string>>;
  readonly device: FabricDevice;
  /** MTU of the virtual functions, bytes. RoCE only. */
  readonly mtu?: number;
  /** Catalogue name of the image that holds the all-reduce test. */
  readonly testImage: string;
  /** What a healthy pair of nodes reaches. Undefined where none is published. */
  readonly allReduce?: AllReduceFigure;
  readonly source: string;
  readonly asOf: string;
}

/** A row of fabrics.json: one RoCE profile for the shapes that share it. */
export interface RoceProfile extends Omit<Fabric, "shape" | "asOf" | "allReduce"> {
  readonly shapes: readonly string[];
}

// Checked against catalog/schema by test/catalog. By way of unknown: the compiler reads the differing environments of
// the rows as one type with optional keys.
const profiles = table.roce as unknown as readonly RoceProfile[];
const figures: readonly (AllReduceFigure & { readonly shapes: readonly string[] })[] = table.allReduce.limits;
const refused: Readonly<Record<string, string>> = table.refused;

/** The RDMA network of a shape, or undefined where it has none that can be used: see noFabricReason. */
export function fabricOf(shapeName: string): Fabric | undefined {
  const profile = profiles.find((candidate) => candidate.shapes.includes(shapeName));
  if (profile !== undefined) {
    const { shapes: _shapes, ...fabric } = profile;
    return { ...fabric, ...figureOf(shapeName), shape: shapeName, asOf: table.asOf };
  }
  const rdma = findShape(shapeName)?.rdma;
  if (rdma?.kind !== "efa" || rdma.interfaces === undefined) {
    return undefined;
  }
  const { resource, environment, testImage, source } = table.efa;
  const device = { resource, perNode: rdma.interfaces };
  const fabric = { shape: shapeName, kind: "efa", hcas: [], environment, device, testImage, source } as const;
  return { ...fabric, ...figureOf(shapeName), asOf: table.asOf };
}

function figureOf(shapeName: string): Pick<Fabric, "allReduce"> {
  const figure = figures.find(({ shapes }) => shapes.includes(shapeName));
  return figure ? { allReduce: { busGBps: figure.busGBps, source: figure.source } } : {};
}

/** Path of the all-reduce test in an image of `Fabric.testImage`. @throws Error for another image. */
export function testProgram(image: string): string {
  const programs: Readonly<Record<string, string>> = table.allReduce.programs;
  const path = programs[image];
  if (path === undefined) {
    throw new Error(`catalog/fabrics.json does not say where image "${image}" has its all-reduce test`);
  }
  return path;
}

/** Least bus bandwidth by which a pair of nodes is certified, GB/s; undefined where no figure is published. */
export function leastBusGBps({ allReduce }: Pick<Fabric, "allReduce">): number | undefined {
  return allReduce && Math.floor(allReduce.busGBps * table.allReduce.share);
}

/** Why fabricOf knows no usable RDMA network for the shape; undefined when it does. */
export function noFabricReason(shapeName: string): string | undefined {
  if (fabricOf(shapeName) !== undefined) {
    return undefined;
  }
  if (findShape(shapeName) === undefined) {
    return `${shapeName} is no machine shape of the catalogue`;
  }
  return refused[shapeName] ?? `${shapeName} has no RDMA network`;
}

/**
 * The interface that every CNI plugin makes for a pod itself. Next to it are those of the virtual functions, on which nothing
 * answers to TCP from outside of the RDMA network.
 */
const POD_INTERFACE = "eth0";

/**
 * The NCCL environment of a pod. On the host network the devices are matched exactly (NCCL's leading "="); virtual
 * functions carry other numbers inside the pod and are matched by their prefix. Without NCCL_NET (user guide, NCCL 2.10
 * and later) NCCL takes TCP, silently, where devices or locked memory are missing: so it fails instead. The EFA plugin's
 * own name is "Libfabric" (aws-ofi-nccl 1.12 and later, pull request 530).
 */
export function ncclEnvironment(fabric: Fabric, access: FabricAccess): Record<string, string> {
  if (fabric.kind === "efa") {
    return { ...fabric.environment, NCCL_NET: "Libfabric" };
  }
  return access === "host-network"
    ? { ...fabric.environment, NCCL_IB_HCA: `=${fabric.hcas.join(",")}`, NCCL_NET: "IB" }
    : { ...fabric.environment, NCCL_SOCKET_IFNAME: POD_INTERFACE, NCCL_IB_HCA: "mlx5", NCCL_NET: "IB" };
}
