/**
 * Custom resources of the SR-IOV network operator and of NVIDIA's address manager (nv-ipam), of network operator v25.10. Only the
 * fields that the platform sets; tests validate what is rendered against the CRDs' schemas.
 */

interface NodesOf {
  readonly key: string;
  readonly operator: "In";
  readonly values: readonly string[];
}

/** Virtual functions of the ports of some nodes, as an extended resource. */
export interface ISriovNetworkNodePolicy {
  readonly apiVersion: "sriovnetwork.openshift.io/v1";
  readonly kind: "SriovNetworkNodePolicy";
  readonly metadata?: object;
  readonly spec?: {
    readonly resourceName: string;
    readonly nodeSelector: Readonly<Record<string, string>>;
    readonly nicSelector: { readonly vendor: string; readonly rootDevices: readonly string[] };
    readonly deviceType: string;
    /** Of each port. */
    readonly numVfs: number;
    /** Bytes. */
    readonly mtu: number;
    readonly priority: number;
    readonly isRdma: boolean;
    /** The virtual functions are there already: the operator makes them known and no more. */
    readonly externallyManaged: boolean;
  };
}

/** How the operator goes about nodes. */
export interface ISriovNetworkPoolConfig {
  readonly apiVersion: "sriovnetwork.openshift.io/v1";
  readonly kind: "SriovNetworkPoolConfig";
  readonly metadata?: object;
  readonly spec?: {
    /** Nodes that may be drained and restarted at a time, or a share of them in percent. */
    readonly maxUnavailable: number | string;
    readonly nodeSelector: { readonly matchExpressions: readonly NodesOf[] };
  };
}

/** What the operator makes a NetworkAttachmentDefinition of, which pods name. */
export interface ISriovNetwork {
  readonly apiVersion: "sriovnetwork.openshift.io/v1";
  readonly kind: "SriovNetwork";
  readonly metadata?: object;
  readonly spec?: {
    readonly resourceName: string;
    readonly networkNamespace: string;
    readonly spoofChk: string;
    /** JSON. */
    readonly ipam: string;
    /** JSON objects of further CNI plugins, with commas between them. */
    readonly metaPlugins: string;
  };
}

/** Addresses for the interfaces of pods. */
export interface IIPPool {
  readonly apiVersion: "nv-ipam.nvidia.com/v1alpha1";
  readonly kind: "IPPool";
  readonly metadata?: object;
  readonly spec?: {
    readonly subnet: string;
    /** Addresses that each node has for its pods. */
    readonly perNodeBlockSize: number;
    readonly gateway: string;
    readonly nodeSelector: {
      readonly nodeSelectorTerms: readonly { readonly matchExpressions: readonly NodesOf[] }[];
    };
  };
}

/** CRDs of all of them. */
export const SRIOV_CRDS = [
  "sriovnetworknodepolicies.sriovnetwork.openshift.io",
  "sriovnetworkpoolconfigs.sriovnetwork.openshift.io",
  "sriovnetworks.sriovnetwork.openshift.io",
  "ippools.nv-ipam.nvidia.com",
] as const;
