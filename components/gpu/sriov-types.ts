/**
 * Custom resources of the SR-IOV network operator and NVIDIA's IPAM (nv-ipam), network operator
 * v25.10. Only used fields; tests validate rendered objects against the CRD schemas.
 */

interface NodesOf {
  readonly key: string;
  readonly operator: "In";
  readonly values: readonly string[];
}

/** Virtual functions of node ports as an extended resource. */
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
    /** Virtual functions already exist: the operator only advertises them. */
    readonly externallyManaged: boolean;
  };
}

export interface ISriovNetworkPoolConfig {
  readonly apiVersion: "sriovnetwork.openshift.io/v1";
  readonly kind: "SriovNetworkPoolConfig";
  readonly metadata?: object;
  readonly spec?: {
    /** Nodes that may be drained and restarted at once, as count or percentage. */
    readonly maxUnavailable: number | string;
    readonly nodeSelector: { readonly matchExpressions: readonly NodesOf[] };
  };
}

/** Source of a NetworkAttachmentDefinition, which pods reference. */
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
    /** Additional CNI plugins: comma-separated JSON objects. */
    readonly metaPlugins: string;
  };
}

export interface IIPPool {
  readonly apiVersion: "nv-ipam.nvidia.com/v1alpha1";
  readonly kind: "IPPool";
  readonly metadata?: object;
  readonly spec?: {
    readonly subnet: string;
    /** Addresses per node for its pods. */
    readonly perNodeBlockSize: number;
    readonly gateway: string;
    readonly nodeSelector: {
      readonly nodeSelectorTerms: readonly { readonly matchExpressions: readonly NodesOf[] }[];
    };
  };
}

export const SRIOV_CRDS = [
  "sriovnetworknodepolicies.sriovnetwork.openshift.io",
  "sriovnetworkpoolconfigs.sriovnetwork.openshift.io",
  "sriovnetworks.sriovnetwork.openshift.io",
  "ippools.nv-ipam.nvidia.com",
] as const;
