import { isOciBareMetal, type MachineShape } from "./shapes";

/**
 * Addresses of pods on OKE with the OCI VCN-native network plugin: they lie on secondary VNICs in the pods' subnet.
 * Oracle's Container Engine documentation, "Using the OCI VCN-Native Pod Networking CNI plugin" and "IPv4 CIDR Blocks",
 * and its compute shapes page: pods per node = MIN((VNICs - 1) × 31, 110). Read 2026-11-23.
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

/** Addresses in the pods' subnet that a node takes when it starts, whether pods use them or not. */
export function okePodAddresses(machine: Machine): number {
  return Math.ceil(okeMaxPods(machine) / OKE_PODS.perVnic) * (OKE_PODS.perVnic + 1);
}
