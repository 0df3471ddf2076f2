/** What the simulated cloud of Karpenter may rent: machines of the catalogue, in the zones and at the prices of an environment. */
import { hourlyUsd, type MachineShape } from "../../catalog/shapes";

/** How a machine is bought, as Karpenter's label `karpenter.sh/capacity-type` says it. */
export const CAPACITY_TYPES = ["on-demand", "spot"] as const;
export type CapacityType = (typeof CAPACITY_TYPES)[number];

/** A machine that could be had, if it is. */
export interface Offer {
  readonly shape: string;
  readonly capacityType: CapacityType;
  readonly zone: string;
}

/**
 * A row of Karpenter's file of instance types (sigs.k8s.io/karpenter v1.14.1, kwok/cloudprovider/helpers.go): its own keys are small
 * letters, those of an offering the names of Go fields.
 */
export interface InstanceType {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystems: readonly ["linux"];
  readonly resources: Readonly<Record<string, string>>;
  readonly offerings: readonly {
    readonly Price: number;
    /** Always taken for true: what is not to be had must not be listed. */
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
  /** What pods may claim of a node of a machine: cores, and MiB. */
  readonly allocatable: (shape: MachineShape) => { readonly cpu: number; readonly memoryMiB: number };
  /** Whether the cloud has it. @default it has all */
  readonly offered?: (offer: Offer) => boolean;
}

/** What the simulated cloud takes of every node (newInstanceType of the same file). */
const TAKEN = { cpu: 0.1, memoryMiB: 10 };
/** Spot prices move with the market: a stand-in, which has Karpenter prefer them as it does the real ones. */
const SPOT_SHARE = 0.7;
/** Kubernetes' own number, where none is known. */
const USUAL_PODS = 110;

/**
 * Instance types of machines; those that the catalogue refuses are left out. Nodes of them hand out exactly what is `allocatable`, and whole cards: the
 * cloud knows nothing of how drivers part them.
 */
export function instanceTypes({ shapes, zones, allocatable, offered = () => true }: InstanceTypesArgs): InstanceType[] {
  const rentable = shapes.filter(({ denied }) => denied === undefined);
  // A machine without a price is never the cheapest.
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
