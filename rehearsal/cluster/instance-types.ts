/**
 * Catalogue machines that Karpenter's simulated cloud offers, with an environment's zones and
 * prices.
 */
import { hourlyUsd, type MachineShape } from "../../catalog/shapes";

/** Values of Karpenter's label `karpenter.sh/capacity-type`. */
export const CAPACITY_TYPES = ["on-demand", "spot"] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];

export interface Offer {
  readonly shape: string;
  readonly capacityType: CapacityType;
  readonly zone: string;
}

/**
 * Entry of Karpenter's instance types file (sigs.k8s.io/karpenter v1.14.1,
 * kwok/cloudprovider/helpers.go): lower-case keys, but Go field names in offerings.
 */
export interface InstanceType {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystems: readonly ["linux"];
  readonly resources: Readonly<Record<string, string>>;
  readonly offerings: readonly {
    readonly Price: number;
    /** Karpenter treats every value as true: list only available offerings. */
    readonly Available: true;
    readonly Requirements: readonly {
      readonly key: string;
      readonly operator: "In";
      readonly values: readonly string[];
    }[];
  }[];
}

export interface InstanceTypesArgs {
  readonly shapes: readonly MachineShape[];
  readonly zones: readonly string[];
  /** Allocatable cores and MiB of a node. */
  readonly allocatable: (shape: MachineShape) => { readonly cpu: number; readonly memoryMiB: number };
  /** Whether the cloud offers it. @default all */
  readonly offered?: (offer: Offer) => boolean;
}

/** Overhead that the simulated cloud subtracts per node (newInstanceType in the same file). */
const TAKEN = { cpu: 0.1, memoryMiB: 10 };
/** Simulated spot price ratio; real prices vary. */
const SPOT_SHARE = 0.7;
/** Kubernetes' default. */
const USUAL_PODS = 110;

/**
 * Instance types of the machines that the catalogue allows. Nodes offer exactly `allocatable`, and
 * whole GPUs: the simulated cloud does not partition them.
 */
export function instanceTypes({ shapes, zones, allocatable, offered = () => true }: InstanceTypesArgs): InstanceType[] {
  const rentable = shapes.filter(({ denied }) => denied === undefined);
  // Machines without a price must not be the cheapest.
  const dearest = Math.max(0, ...rentable.map((shape) => hourlyUsd(shape) ?? 0));
  return rentable.map((shape) => {
    const { cpu, memoryMiB } = allocatable(shape);
    const usdPerHour = hourlyUsd(shape) ?? dearest;
    const offers = CAPACITY_TYPES.flatMap((capacityType) =>
      zones.map((zone): Offer => ({ shape: shape.name, capacityType, zone })),
    );
    return {
      name: shape.name,
      architecture: shape.cpu.arch,
      operatingSystems: ["linux"],
      resources: {
        cpu: `${Math.floor((cpu + TAKEN.cpu) * 1000)}m`,
        memory: `${Math.floor(memoryMiB + TAKEN.memoryMiB)}Mi`,
        "ephemeral-storage": "4Ti",
        pods: String(shape.maxPods ?? USUAL_PODS),
        ...(shape.gpu && { [shape.gpu.resource]: String(shape.gpu.count) }),
        ...(shape.rdma.kind === "efa" && { "vpc.amazonaws.com/efa": String(shape.rdma.interfaces ?? 1) }),
      },
      offerings: offers.filter(offered).map(({ capacityType, zone }) => ({
        Price: capacityType === "spot" ? usdPerHour * SPOT_SHARE : usdPerHour,
        Available: true,
        Requirements: [
          { key: "karpenter.sh/capacity-type", operator: "In", values: [capacityType] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
        ],
      })),
    };
  });
}
