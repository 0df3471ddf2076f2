import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { COMMON_ADDON_KEYS, okeAddons } from "../../../../catalog/oke";
import type { ProviderFunction } from "../../../../offline/answers";
import { OCI_CALLS } from "../../../../offline/oci-answers";
import { accessOf, connect } from "../../../../rehearsal/cluster/kubeconfig";
import facts from "../../../fixtures/upstream/oci-replacement.json";
import { CloudProvider, type CloudType } from "./cloud";
import type { ArgumentFacts } from "./cloud/arguments";
import { playLoadBalancers } from "./cloud/load-balancers";
import { CloudNodes } from "./cloud/nodes";
import { CloudStore, type Properties } from "./cloud/store";
import { playAutoscaler } from "./oci-autoscaler";
import { OkeNodes } from "./oci-node-pool";
import { SelfManagedNodes } from "./oci-self-managed-nodes";

/**
 * Stands in for the official `oci` provider, and for Oracle Cloud. Every cluster that a program makes is the API server of
 * KUBECONFIG; its node pools, and machines that join by themselves, are nodes there. E2E_CLOUD is the folder of what there is in the cloud; E2E_CLOUD_DELAYS says in
 * JSON how long it takes for what, in milliseconds by type; E2E_ENDPOINT is the private address that clusters
 * say they have, and their kubeconfigs.
 */
const CLUSTER = "oci:ContainerEngine/cluster:Cluster";
const NODE_POOL = "oci:ContainerEngine/nodePool:NodePool";
const KUBECONFIG_CALL = "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig";

const kubeconfig = readFileSync(process.env.KUBECONFIG ?? "", "utf8");
const client = connect(kubeconfig);
const store = new CloudStore(process.env.E2E_CLOUD ?? "");
const delays = JSON.parse(process.env.E2E_CLOUD_DELAYS ?? "{}") as Readonly<Record<string, CloudType["delays"]>>;
const { address, port, ca } = accessOf(kubeconfig);
const endpoint = process.env.E2E_ENDPOINT ?? `${address}:${port}`;

const nodes = new CloudNodes(client, (event, subject) => store.record({ event, subject }));
const nodePools = new OkeNodes(nodes);
const machines = new SelfManagedNodes(nodes, store, { apiServer: endpoint.replace(/:\d+$/, ""), authority: ca });
/** Cluster networks, and instance pools. */
const MACHINES: CloudType = {
  outputs: () => ({ state: "RUNNING" }),
  made: (group) => machines.make(group),
  changed: (before, after) => machines.change(before, after),
  leaving: (group) => machines.empty(group),
};

const TYPES: Readonly<Record<string, CloudType>> = {
  "oci:Core/vcn:Vcn": {
    outputs: (_inputs, id) => ({
      defaultDhcpOptionsId: `${id}-dhcp`,
      defaultRouteTableId: `${id}-routes`,
      defaultSecurityListId: `${id}-rules`,
    }),
  },
  "oci:Kms/vault:Vault": {
    outputs: () => ({
      managementEndpoint: "https://e2e-management.kms.eu-frankfurt-1.oraclecloud.com",
      cryptoEndpoint: "https://e2e-crypto.kms.eu-frankfurt-1.oraclecloud.com",
    }),
  },
  "oci:Kms/key:Key": { outputs: (_inputs, id) => ({ currentKeyVersion: `${id}-1` }) },
  "oci:Core/clusterNetwork:ClusterNetwork": MACHINES,
  "oci:Core/instancePool:InstancePool": MACHINES,
  [CLUSTER]: {
    outputs: ({ endpointConfig }) => {
      const { isPublicIpEnabled = false } = (endpointConfig ?? {}) as { readonly isPublicIpEnabled?: boolean };
      return {
        state: "ACTIVE",
        endpoints: [{ privateEndpoint: endpoint, publicEndpoint: isPublicIpEnabled ? endpoint : "" }],
      };
    },
  },
  [NODE_POOL]: {
    made: (pool) => nodePools.make(pool),
    changed: (before, after) => nodePools.change(before, after),
    leaving: (pool) => nodePools.empty(pool),
  },
};

/** What functions answer offline, but for the address and the authority of the cluster: the authority is the API server's. */
const functions: Readonly<Record<string, ProviderFunction>> = {
  ...OCI_CALLS,
  [KUBECONFIG_CALL]: (inputs) => {
    const { content } = (OCI_CALLS[KUBECONFIG_CALL]?.(inputs) ?? {}) as { readonly content: string };
    const { clusters, ...rest } = JSON.parse(content) as { readonly clusters: readonly { readonly name: string }[] };
    const cluster = {
      server: `https://${endpoint}`,
      "certificate-authority-data": Buffer.from(ca).toString("base64"),
    };
    return {
      ...inputs,
      content: JSON.stringify({ ...rest, clusters: clusters.map(({ name }) => ({ name, cluster })) }),
    };
  },
};

/** @throws Error for add-ons, and settings of add-ons, that Oracle has not. */
function examineNames(type: string, { addonName, configurations }: Properties): void {
  if (type !== "oci:ContainerEngine/addon:Addon") {
    return;
  }
  const addon = okeAddons.find(({ name }) => name === addonName);
  if (addon === undefined) {
    throw new Error(`404-NotAuthorizedOrNotFound, there is no add-on ${addonName}`);
  }
  const keys = [...COMMON_ADDON_KEYS, ...addon.keys];
  const given = (configurations ?? []) as readonly { readonly key: string }[];
  const unknown = given.map(({ key }) => key).filter((key) => !keys.includes(key));
  if (unknown.length > 0) {
    throw new Error(`400-InvalidParameter, ${addonName} has no configuration ${unknown.join(", ")}`);
  }
}

/** Of every id that this cloud gives. */
const OWN = "e2e";

function newId(type: string): string {
  const kind = type.slice(type.lastIndexOf(":") + 1).toLowerCase();
  return `ocid1.${kind}.oc1.eu-frankfurt-1.${OWN}${randomBytes(8).toString("hex")}`;
}

const types = Object.keys(facts.resources).map((type): [string, CloudType] => [
  type,
  { ...TYPES[type], ...(delays[type] && { delays: delays[type] }) },
]);

new CloudProvider(
  {
    version: facts.version,
    facts: facts.resources as Readonly<Record<string, ArgumentFacts>>,
    types: Object.fromEntries(types),
    functions,
    newId,
    examine: examineNames,
    isOwnId: (text) => new RegExp(`^ocid1\\.\\w+\\.oc1\\.[a-z0-9-]*\\.${OWN}[0-9a-f]{16}$`).test(text),
  },
  store,
).serve();

void playLoadBalancers(client, store, {
  subnet: () => store.of(CLUSTER).map(({ inputs }) => loadBalancerSubnet(inputs))[0],
  removalMs: Number(process.env.E2E_LOAD_BALANCER_MS ?? "0"),
});

void playAutoscaler(client, store, nodePools);

/** The subnet that load balancers of a cluster's Services stand in. */
function loadBalancerSubnet({ options, endpointConfig }: Properties): string | undefined {
  const { serviceLbSubnetIds = [] } = (options ?? {}) as { readonly serviceLbSubnetIds?: readonly string[] };
  return serviceLbSubnetIds[0] ?? (endpointConfig as { readonly subnetId?: string } | undefined)?.subnetId;
}
