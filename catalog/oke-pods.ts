import { isOciBareMetal, type MachineShape } from "./shapes";

/**
 * Pod addresses on secondary VNICs: pods per node = MIN((VNICs - 1) × 31, 110). Oracle's "Using the
 * OCI VCN-Native Pod Networking CNI plugin", "IPv4 CIDR Blocks" and compute shapes. Read
 * 2026-11-23.
 */
export const OKE_PODS = {
  /** On one secondary VNIC, which has an address of its own besides. */
  perVnic: 31,
  /** Kubernetes' limit, which OKE does not raise. */
  most: 110,
} as const;

/** VNICs of a virtual machine: one per OCPU, within these. */
const VM_VNICS = { least: 2, most: 24 } as const;

type Machine = Pick<MachineShape, "name" | "cpu">;

/** Pods that a node can have. A flexible shape must be sized. */
export function okeMaxPods({ name, cpu }: Machine): number {
  // Bare metal has more VNICs than the limit of pods can use.
  const { least, most } = VM_VNICS;
  const vnics = isOciBareMetal({ name }) ? most : Math.min(most, Math.max(least, Math.floor(cpu.ocpus ?? least)));
  return Math.min((vnics - 1) * OKE_PODS.perVnic, OKE_PODS.most);
}

/** Taken at start, used or not. */
export function okePodAddresses(machine: Machine): number {
  return Math.ceil(okeMaxPods(machine) / OKE_PODS.perVnic) * (OKE_PODS.perVnic + 1);
}
