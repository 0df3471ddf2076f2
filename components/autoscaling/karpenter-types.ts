/**
 * Custom resources of Karpenter 1.14.1. Only the fields that the platform sets; tests validate what is rendered against the CRDs'
 * schemas.
 */

export interface KarpenterTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** How often how many nodes may be taken away at once. The least of all that name a reason counts for it. */
export interface DisruptionBudget {
  readonly nodes: string;
  readonly reasons?: readonly ("Underutilized" | "Empty" | "Drifted")[];
}

export interface NodePoolDisruption {
  readonly consolidationPolicy: "WhenEmpty" | "WhenEmptyOrUnderutilized";
  /** A duration: 30m. */
  readonly consolidateAfter: string;
  readonly budgets: readonly DisruptionBudget[];
}

/** What Karpenter may make, and when it may take it away. */
export interface INodePool {
  readonly apiVersion: "karpenter.sh/v1";
  readonly kind: "NodePool";
  readonly metadata?: object;
  readonly spec?: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
        readonly requirements: readonly {
          readonly key: string;
          readonly operator: "In";
          readonly values: readonly string[];
        }[];
        readonly taints?: readonly KarpenterTaint[];
        readonly startupTaints?: readonly KarpenterTaint[];
        readonly expireAfter: string;
        readonly terminationGracePeriod: string;
      };
    };
    readonly disruption: NodePoolDisruption;
    /** Quantities of all its nodes together. */
    readonly limits: Readonly<Record<string, string>>;
  };
}

interface TagTerm {
  readonly tags: Readonly<Record<string, string>>;
}

export interface NodeInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: "interface" | "efa-only";
}

/** What machines are made from. */
export interface IEC2NodeClass {
  readonly apiVersion: "karpenter.k8s.aws/v1";
  readonly kind: "EC2NodeClass";
  readonly metadata?: object;
  readonly spec?: {
    readonly amiSelectorTerms: readonly { readonly alias: string }[];
    /** Name of the nodes' IAM role. */
    readonly role: string;
    readonly subnetSelectorTerms: readonly TagTerm[];
    readonly securityGroupSelectorTerms: readonly TagTerm[];
    readonly associatePublicIPAddress: boolean;
    readonly blockDeviceMappings: readonly {
      readonly deviceName: string;
      readonly rootVolume: boolean;
      readonly ebs: {
        readonly encrypted: boolean;
        readonly kmsKeyID: string;
        readonly volumeSize: string;
        readonly volumeType: string;
        readonly deleteOnTermination: boolean;
      };
    }[];
    readonly instanceStorePolicy?: "RAID0";
    readonly networkInterfaces?: readonly NodeInterface[];
    readonly metadataOptions: {
      readonly httpEndpoint: string;
      readonly httpProtocolIPv6: string;
      readonly httpPutResponseHopLimit: number;
      readonly httpTokens: string;
    };
    readonly detailedMonitoring: boolean;
    /** A NodeConfig, which Karpenter puts its own beside. */
    readonly userData?: string;
    readonly tags: Readonly<Record<string, string>>;
  };
}
