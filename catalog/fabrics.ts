import table from "./fabrics.json";
import { findShape } from "./shapes";

export type FabricKind = "roce" | "efa";

/** Devices that a device plugin gives to pods. */
export const DEVICE_ACCESS = { roce: "virtual-functions", efa: "efa" } as const satisfies Record<FabricKind, string>;

export type DeviceAccess = (typeof DEVICE_ACCESS)[FabricKind];

/** Pod devices, or those of the node. */
export const FABRIC_ACCESS = [...Object.values(DEVICE_ACCESS), "host-network"] as const;

export type FabricAccess = (typeof FABRIC_ACCESS)[number];

/**
 * Preferred first. EFA devices always come from a device plugin, so the host network is no option.
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
  /** In NCCL's order. Empty for EFA, which libfabric detects. */
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

// test/catalog checks it against the schema. `unknown`, because the compiler merges the rows'
// differing keys.
const profiles = table.roce as unknown as readonly RoceProfile[];
const figures: readonly (AllReduceFigure & { readonly shapes: readonly string[] })[] = table.allReduce.limits;
const refused: Readonly<Record<string, string>> = table.refused;

/** Undefined without a usable RDMA network: see noFabricReason. */
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

/**
 * Path of the all-reduce test in an image of `Fabric.testImage`.
 * @throws Error for another image.
 */
export function testProgram(image: string): string {
  const programs: Readonly<Record<string, string>> = table.allReduce.programs;
  const path = programs[image];
  if (path === undefined) {
    throw new Error(`catalog/fabrics.json does not say where image "${image}" has its all-reduce test`);
  }
  return path;
}

/** Minimum bus bandwidth to certify a node pair, GB/s; undefined without a published figure. */
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

/** CNI plugins create it. Virtual functions accept no TCP from outside of the RDMA network. */
const POD_INTERFACE = "eth0";

/**
 * Matches devices exactly on the host network (leading "="), virtual functions by prefix, as their
 * numbers differ. NCCL_NET (NCCL 2.10 and later) prevents a silent fallback to TCP. The EFA plugin
 * is "Libfabric" (aws-ofi-nccl 1.12 and later, pull request 530).
 */
export function ncclEnvironment(fabric: Fabric, access: FabricAccess): Record<string, string> {
  if (fabric.kind === "efa") {
    return { ...fabric.environment, NCCL_NET: "Libfabric" };
  }
  return access === "host-network"
    ? { ...fabric.environment, NCCL_IB_HCA: `=${fabric.hcas.join(",")}`, NCCL_NET: "IB" }
    : { ...fabric.environment, NCCL_SOCKET_IFNAME: POD_INTERFACE, NCCL_IB_HCA: "mlx5", NCCL_NET: "IB" };
}
