import { fabricOf } from "./fabrics";
import table from "./sriov.json";

/** Ports of the RDMA network of some shapes. */
export interface RootDevices {
  readonly shapes: readonly string[];
  /** PCI addresses of their physical functions. */
  readonly pci: readonly string[];
}

// Checked against catalog/schema by test/catalog.
const rootDevices: readonly RootDevices[] = table.rootDevices;

/** What the SR-IOV network operator receives about every port. */
export const VF_POLICY = table.policy;
/** What gives a pod one virtual function as an interface of its own. */
export const VF_NETWORK = table.network;
/** They name the virtual functions, so no two nodes may share one. */
export const VF_ADDRESSES = table.addresses;
/**
 * Namespaces of OKE's operators. DaemonSet `toolkit` restarts a GPU node's container runtime within
 * `restartWithinSeconds` (ours, not NVIDIA's) of its start. `addresses`: label `app` of nv-ipam;
 * `addressesOfNode`: its DaemonSet.
 */
export const OPERATORS = table.operator;

/** Virtual functions of a shape as the operator makes them known. */
export interface VirtualFunctions {
  readonly pci: readonly string[];
  /** Bytes. */
  readonly mtu: number;
  /** Last part of the extended resource that pods ask for. */
  readonly resourceName: string;
  /** Namespace of the NetworkAttachmentDefinition that pods name. */
  readonly networkNamespace: string;
}

/** Undefined where the catalogue does not know the shape's ports. */
export function virtualFunctionsOf(shape: string): VirtualFunctions | undefined {
  const found = rootDevices.find(({ shapes }) => shapes.includes(shape));
  const fabric = fabricOf(shape);
  if (found === undefined || fabric?.mtu === undefined || fabric.device.network === undefined) {
    return undefined;
  }
  const [networkNamespace = ""] = fabric.device.network.split("/");
  const [, resourceName = ""] = fabric.device.resource.split("/");
  return { pci: found.pci, mtu: fabric.mtu, resourceName, networkNamespace };
}
