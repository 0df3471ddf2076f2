/**
 * Custom resources of Karpenter 1.14.1. Only used fields; tests validate rendered objects against
 * the CRD schemas.
 */

export interface KarpenterTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Limit of concurrent node removals by schedule. The lowest matching limit applies. */
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
    /** Total quantities of its nodes. */
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

/** Machine settings. */
export interface IEC2NodeClass {
  readonly apiVersion: "karpenter.k8s.aws/v1";
  readonly kind: "EC2NodeClass";
  readonly metadata?: object;
  readonly spec?: {
    readonly amiSelectorTerms: readonly { readonly alias: string }[];
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
    /** A NodeConfig, to which Karpenter adds its own. */
    readonly userData?: string;
    readonly tags: Readonly<Record<string, string>>;
  };
}
