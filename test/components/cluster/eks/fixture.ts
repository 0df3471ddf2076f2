import type { EksNetworks, EksPool, EksSettings } from "../../../../components/cluster/eks/settings";

export const ZONES = ["us-east-1a", "us-east-1b"] as const;

export const NETWORK: EksNetworks = {
  vpc: "10.0.0.0/16",
  services: "172.20.0.0/16",
  subnets: {
    controlPlane: { "us-east-1a": "10.0.0.0/22", "us-east-1b": "10.0.4.0/22" },
    public: { "us-east-1a": "10.0.32.0/22", "us-east-1b": "10.0.36.0/22" },
    nodes: { "us-east-1a": "10.0.64.0/18", "us-east-1b": "10.0.128.0/18" },
  },
  natGateways: "per-zone",
  endpoints: ["ecr.api", "sts"],
};

/** Settings of a cluster of its own over two zones, private, with keys of its own. */
export function settings(changes: Partial<EksSettings> = {}): EksSettings {
  return {
    environment: "test",
    region: "us-east-1",
    accountId: undefined,
    kubernetesVersion: "1.35",
    zones: ZONES,
    administrators: ["arn:aws:iam::111122223333:role/platform"],
    endpoint: { public: false, allowedCidrs: [] },
    network: NETWORK,
    nodeImage: "v20260714",
    addonVersions: {},
    encryptionKeyArn: undefined,
    logRetentionDays: 90,
    protect: false,
    ...changes,
  };
}

export const NO_POOLS: readonly EksPool[] = [];
