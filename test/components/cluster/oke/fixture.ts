import type { OkePool, OkeSettings } from "../../../../components/cluster/oke/settings";

const COMPARTMENT = "ocid1.compartment.oc1..c";

/** Settings of a cluster of its own, private, with keys of its own. */
export function settings(changes: Partial<OkeSettings> = {}): OkeSettings {
  return {
    environment: "test",
    tenancyId: "ocid1.tenancy.oc1..t",
    compartmentId: COMPARTMENT,
    region: "eu-frankfurt-1",
    homeRegion: "us-ashburn-1",
    kubernetesVersion: "v1.34.1",
    endpoint: { public: false, allowedCidrs: [] },
    loadBalancers: { public: true, clientCidrs: ["0.0.0.0/0"], preserveSource: true },
    registryPorts: [443],
    network: {
      vcn: "10.0.0.0/16",
      services: "10.96.0.0/16",
      subnets: {
        endpoint: "10.0.0.0/28",
        nodes: "10.0.16.0/20",
        pods: "10.0.64.0/18",
        loadBalancers: "10.0.1.0/24",
      },
    },
    encryptionKeyId: undefined,
    encryptionKeyCompartmentId: undefined,
    protect: false,
    ...changes,
  };
}

export const NO_POOLS: readonly OkePool[] = [];
