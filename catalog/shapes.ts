import { ownRows } from "./chosen-rows";
import type { CardResource, GpuModel, GpuSpec } from "./gpu-model";
import { unknownName } from "./nearest";
import awsTable from "./shapes/aws.json";
import gpuTable from "./shapes/gpus.json";
import ociTable from "./shapes/oci.json";
import onPremTable from "./shapes/onprem.json";

export type {
  AmdSupport,
  CardAbilities,
  CardResource,
  GpuModel,
  GpuResource,
  GpuSlice,
  GpuSpec,
  GpuSpeed,
} from "./gpu-model";

export type Provider = "oci" | "aws" | "onprem";
export type CpuArchitecture = "amd64" | "arm64";
export interface Rdma {
  readonly kind: "none" | "roce" | "efa";
  /** All interfaces of the machine together, Gbit/s; 0 for none. */
  readonly gbps: number;
  /** Number of EFA interfaces (`vpc.amazonaws.com/efa`). For RoCE see fabricOf. */
  readonly interfaces?: number;
}

export interface PriceOrigin {
  readonly region: string;
  readonly confidence: "read" | "derived";
  /** Day on which the price held, or "undated" where the page bears no date. */
  readonly asOf: string;
  readonly source: string;
}

/** Whole-machine price. */
export interface MachinePrice extends PriceOrigin {
  readonly usdPerHour: number;
}

/** Price of a flexible shape, by size. Oracle's GB here are GiB. */
export interface FlexPrice extends PriceOrigin {
  readonly usdPerOcpuHour: number;
  readonly usdPerGBHour: number;
  /** Allowance per tenancy and month that is not charged. */
  readonly freePerMonth?: { readonly ocpuHours: number; readonly gbHours: number };
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Limits of a shape whose size is chosen at creation. */
export interface Flex {
  readonly ocpus: Range;
  readonly memoryGiB: Range;
  readonly memoryGiBPerOcpu: Range;
  readonly networkGbpsPerOcpu?: number;
}

/** Memory nodes of a machine, by the default of its firmware, which nothing here changes. */
export interface Numa {
  readonly nodes: number;
  /** How many of them have GPUs, each as many. Undefined: not read. */
  readonly withGpus?: number;
  readonly source: string;
}

/** A machine that can be a node. */
export interface MachineShape {
  readonly provider: Provider;
  readonly name: string;
  readonly gpu?: GpuSpec;
  readonly cpu: {
    readonly arch: CpuArchitecture;
    /** Kubernetes CPUs. The maximum for a flexible shape. */
    readonly vcpus: number;
    /** Oracle CPUs: 2 vCPUs on x86, 1 on Arm. OCI only. */
    readonly ocpus?: number;
  };
  /** Present on flexible shapes until sized: see sizedFlex. */
  readonly flex?: Flex;
  /** Host RAM, GiB. The maximum for a flexible shape. */
  readonly memoryGiB: number;
  /** What Kubernetes can hand to pods, MiB, where an estimate exists (Karpenter's, EC2 only). */
  readonly allocatableMemoryMiB?: number;
  /** Pods per node with the provider's default network plugin, where known. */
  readonly maxPods?: number;
  /** Addresses of each of its network interfaces, its own among them. EC2's shapes with EFA alone. */
  readonly addressesPerInterface?: number;
  /** Undefined: not read. */
  readonly numa?: Numa;
  /** All local disks together. */
  readonly localNvmeGB: number;
  /** Ethernet, Gbit/s, sustained. Undefined: not read. */
  readonly networkGbps?: number;
  readonly rdma: Rdma;
  readonly price?: MachinePrice | FlexPrice;
  /** Why a machine has no price. */
  readonly noPriceReason?: string;
  /** Why this machine must not be used here, although the provider offers it. */
  readonly denied?: string;
  readonly notes: string;
  readonly source: string;
  /** Day on which the row was read. */
  readonly asOf: string;
}

/** Size of a flexible shape. Oracle says GB and means GiB. */
export interface FlexSize {
  readonly ocpus: number;
  readonly memoryGB: number;
}

/** A row of shapes/oci.json or shapes/aws.json: a shape that names its GPU model. */
export interface ShapeRow extends Omit<MachineShape, "provider" | "gpu" | "asOf"> {
  readonly gpu?: {
    readonly model: string;
    readonly count: number;
    readonly nvlink?: boolean;
    /** Memory of the slice, where the machine has only a part of one GPU. */
    readonly fractionOf?: { readonly memoryGB: number; readonly memoryGiB: number };
  };
}

/** A card for machines of one's own (shapes/onprem.json). */
export interface GpuCard {
  readonly name: string;
  readonly gpu: string;
  readonly nvlink: boolean | null;
  readonly notes: string;
  readonly source: string;
}

/** A machine of one's own: a card times a count, and the host around it. */
export interface OnPremNodeArgs {
  /**
   * Card of shapes/onprem.json, e.g. "rtx-4090"; others have `gpuMemoryGiB`. Undefined: no GPU, or
   * unnamed.
   */
  readonly card?: string;
  /** Memory of one GPU as its driver reports it, GiB. @default the card's in the catalogue */
  readonly gpuMemoryGiB?: number;
  /** Of a card that the catalogue lacks. @default "nvidia" */
  readonly gpuVendor?: GpuModel["vendor"];
  readonly gpuCount: number;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly localNvmeGB: number;
  /** Gbit/s. */
  readonly networkGbps: number;
  /** Default "amd64". */
  readonly cpuArch?: CpuArchitecture;
}

// The tables are checked against catalog/schema by test/catalog, not at start-up.
export const gpuModels = gpuTable.gpus as readonly GpuModel[];
export const cards = onPremTable.cards as readonly GpuCard[];

const modelsByName = new Map(gpuModels.map((gpu) => [gpu.model, gpu]));

/** Every machine of the clouds. Machines of one's own are built with onPremNode. */
export const shapes: readonly MachineShape[] = [
  ...(ociTable.shapes as readonly ShapeRow[]).map((row) => fromRow("oci", row, ociTable.asOf)),
  ...(awsTable.shapes as readonly ShapeRow[]).map((row) => fromRow("aws", row, awsTable.asOf)),
  ...ownRows("shapes"),
];

const shapesByName = new Map(shapes.map((shape) => [shape.name, shape]));

/** The shape of that exact name, e.g. "BM.GPU.H100.8" or "p5.48xlarge". */
export function findShape(name: string): MachineShape | undefined {
  return shapesByName.get(name);
}

/** Whether it is one of Oracle's machines of bare metal, which are named so. */
export function isOciBareMetal({ name }: Pick<MachineShape, "name">): boolean {
  return name.startsWith("BM.");
}

/** Every shape of a provider, in table order. Empty for "onprem": see onPremNode. */
export function shapesOf(provider: Provider): readonly MachineShape[] {
  return shapes.filter((shape) => shape.provider === provider);
}

/**
 * On demand. Undefined if unknown (see noPriceReason).
 * @param size of a flexible shape.
 * @throws RangeError when the size is missing or out of limits.
 */
export function hourlyUsd(shape: MachineShape, size?: FlexSize): number | undefined {
  const { price } = shape;
  if (price === undefined) {
    return undefined;
  }
  if ("usdPerHour" in price) {
    return price.usdPerHour;
  }
  const sized = shape.flex === undefined ? shape : sizedFlex(shape, size);
  return (sized.cpu.ocpus ?? 0) * price.usdPerOcpuHour + sized.memoryGiB * price.usdPerGBHour;
}

/**
 * Sets the size of a flexible shape; others are unchanged.
 * @throws RangeError when the size is missing or out of limits.
 */
export function sizedFlex(shape: MachineShape, size?: FlexSize): MachineShape {
  const { flex, cpu } = shape;
  if (flex === undefined) {
    return shape;
  }
  if (size === undefined) {
    throw new RangeError(`${shape.name} is a flexible shape: give ocpus and memoryGB`);
  }
  const { ocpus, memoryGB } = size;
  const perOcpu = flex.memoryGiBPerOcpu;
  const memory = {
    min: Math.max(flex.memoryGiB.min, perOcpu.min * ocpus),
    max: Math.min(flex.memoryGiB.max, perOcpu.max * ocpus),
  };
  requireWithin(`${shape.name} ocpus`, ocpus, flex.ocpus);
  requireWithin(`${shape.name} memoryGB with ${ocpus} OCPUs`, memoryGB, memory);
  const vcpusPerOcpu = cpu.vcpus / (cpu.ocpus ?? cpu.vcpus);
  const networkGbps =
    flex.networkGbpsPerOcpu === undefined
      ? shape.networkGbps
      : Math.min(flex.networkGbpsPerOcpu * ocpus, shape.networkGbps ?? Number.POSITIVE_INFINITY);
  return {
    ...shape,
    cpu: { arch: cpu.arch, ocpus, vcpus: ocpus * vcpusPerOcpu },
    memoryGiB: memoryGB,
    networkGbps,
    flex: undefined,
  };
}

/**
 * A self-managed machine, without a price.
 * @throws Error for an unknown card, with the nearest; RangeError for a count that does not match
 * the card.
 */
export function onPremNode(args: OnPremNodeArgs): MachineShape {
  const { card, gpuCount, gpuMemoryGiB } = args;
  const hasGpus = card !== undefined || gpuMemoryGiB !== undefined;
  if (!Number.isInteger(gpuCount) || gpuCount < 0 || gpuCount > 0 !== hasGpus) {
    throw new RangeError(
      `gpuCount ${gpuCount} with card ${card ?? "none"}: give a card and a whole number of at least 1, or neither and 0`,
    );
  }
  const found =
    card === undefined || gpuMemoryGiB !== undefined ? cards.find(({ name }) => name === card) : findCard(card);
  const known = found && gpuSpec({ model: found.gpu, count: gpuCount, nvlink: found.nvlink ?? undefined });
  return {
    provider: "onprem",
    name: hasGpus ? `${gpuCount}x-${card ?? `gpu-${gpuMemoryGiB}gib`}` : "cpu-node",
    gpu: gpuMemoryGiB === undefined ? known : withMemory(known ?? unknownGpu(args), gpuMemoryGiB),
    cpu: { arch: args.cpuArch ?? "amd64", vcpus: args.vcpus },
    memoryGiB: args.memoryGiB,
    localNvmeGB: args.localNvmeGB,
    networkGbps: args.networkGbps,
    rdma: { kind: "none", gbps: 0 },
    noPriceReason: "machine of one's own: no list price",
    notes: found?.notes ?? "",
    source: found?.source ?? "stated in the configuration",
    asOf: onPremTable.asOf,
  };
}

/** Cards reserve up to 6 percent of the driver's total. */
const SEEN = 0.94;

/** A card of which only the memory is known. */
function unknownGpu({ card, gpuCount, gpuMemoryGiB = 0, gpuVendor = "nvidia" }: OnPremNodeArgs): GpuSpec {
  return {
    model: card ?? `GPU of ${gpuMemoryGiB} GiB`,
    vendor: gpuVendor,
    arch: "unknown",
    memoryGB: gpuMemoryGiB,
    memoryGiB: gpuMemoryGiB,
    engineMemoryGiB: gpuMemoryGiB * SEEN,
    count: gpuCount,
    resource: cardResource({ vendor: gpuVendor }),
  };
}

function withMemory(gpu: GpuSpec, memoryGiB: number): GpuSpec {
  const seen = gpu.engineMemoryGiB / gpu.memoryGiB;
  return { ...gpu, memoryGB: memoryGiB, memoryGiB, engineMemoryGiB: memoryGiB * seen };
}

/** Undefined for an unknown card. */
export function gpuOfCard(card: string | undefined): GpuModel | undefined {
  const model = cards.find(({ name }) => name === card)?.gpu;
  return gpuModels.find((gpu) => gpu.model === model);
}

function findCard(name: string): GpuCard {
  const card = cards.find((candidate) => candidate.name === name);
  if (card !== undefined) {
    return card;
  }
  throw unknownName(
    "GPU card",
    name,
    cards.map((candidate) => candidate.name),
    "catalog/shapes/onprem.json",
  );
}

function fromRow(provider: Provider, row: ShapeRow, asOf: string): MachineShape {
  return { ...row, provider, asOf, gpu: row.gpu && gpuSpec(row.gpu) };
}

/** The device plugin's name for whole cards of a vendor. */
export function cardResource({ vendor }: Pick<GpuModel, "vendor">): CardResource {
  return vendor === "nvidia" ? "nvidia.com/gpu" : "amd.com/gpu";
}

/** Cards of a machine, whatever parts of them pods get. */
export function cardCount({ count, slice }: Pick<GpuSpec, "count" | "slice">): number {
  return slice?.cards ?? count;
}

function gpuSpec(gpu: NonNullable<ShapeRow["gpu"]>): GpuSpec {
  const found = modelsByName.get(gpu.model);
  if (found === undefined) {
    throw unknownName("GPU model", gpu.model, [...modelsByName.keys()], "catalog/shapes/gpus.json");
  }
  const { memorySource: _memory, engineMemorySource: _engine, notes: _notes, ...model } = found;
  const slice = gpu.fractionOf && { ...gpu.fractionOf, engineMemoryGiB: gpu.fractionOf.memoryGiB };
  return { ...model, ...slice, count: gpu.count, nvlink: gpu.nvlink, resource: cardResource(found) };
}

function requireWithin(what: string, value: number, { min, max }: Range): void {
  if (!(value >= min && value <= max)) {
    throw new RangeError(`${what}: ${value} given, ${min} to ${max} allowed`);
  }
}
