import type * as pulumi from "@pulumi/pulumi";
import type { GpuModel } from "../../catalog/shapes";

export type GpuVendor = GpuModel["vendor"];

/** What pods need besides the device plugin for one vendor's GPUs. */
export interface GpuAccess {
  /** RuntimeClass of its pods (k3s: `nvidia`). */
  readonly runtimeClass?: string;
  /** Numeric groups of host device files. Radeon: the gid of `render`, which differs by host. */
  readonly groups?: pulumi.Input<number[]>;
  /**
   * Driver variables for all cards of the vendor; the plan has those of a card
   * (`ModelPlan.hsaOverride`).
   */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Separate by vendor: a cluster may have GPUs of both. */
export type GpuAccessByVendor = Readonly<Partial<Record<GpuVendor, GpuAccess>>>;
