import type * as pulumi from "@pulumi/pulumi";
import type { GpuModel } from "../../catalog/shapes";

export type GpuVendor = GpuModel["vendor"];

/** What pods need beside the device plugin to use the GPUs of one vendor. */
export interface GpuAccess {
  /** RuntimeClass of its pods (k3s: `nvidia`). */
  readonly runtimeClass?: string;
  /** Numeric groups of the host's device files; Radeon: the gid of `render`, which differs by host and may be read there. */
  readonly groups?: pulumi.Input<number[]>;
  /** Variables of the driver's runtime for all cards of the vendor; what a card needs by the catalogue is in the plan (`ModelPlan.hsaOverride`). */
  readonly environment?: Readonly<Record<string, string>>;
}

/** One vendor's settings must not reach the other's pods: a cluster may have cards of both. */
export type GpuAccessByVendor = Readonly<Partial<Record<GpuVendor, GpuAccess>>>;
