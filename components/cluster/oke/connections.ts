import { GATEWAY_NODE_PORTS } from "../../../names/gateway-node-ports";
import type { OkeSettings } from "./settings";

export const NSG_NAMES = ["endpoint", "nodes", "pods"] as const;
export type NsgName = (typeof NSG_NAMES)[number];

/**
 * Ends of a connection. Load balancers are identified by subnet, because a controller creates them.
 */
export type Party = NsgName | "loadBalancers" | "oracleServices" | "internet" | "operators" | "clients";

export type Traffic =
  | { readonly protocol: "all" }
  /** All ports if omitted. */
  | { readonly protocol: "tcp"; readonly ports?: { readonly min: number; readonly max: number } }
  /** Type 3, code 4: "your packet is too large". */
  | { readonly protocol: "path-mtu" };

/** Rules are stateful, so answers need no rule. */
export interface OkeConnection {
  /** Stable: names the resources created from it. */
  readonly name: string;
  readonly from: Party;
  readonly to: Party;
  readonly traffic: Traffic;
  /** Description of the resulting rules. */
  readonly reason: string;
}

/**
 * Ports of OKE (oracle-terraform-modules/terraform-oci-oke, modules/network/locals.tf at 25ef9a0,
 * read 2026-11-23).
 */
const PORT = { kubernetesApi: 6443, okeControlPlane: 12250, kubelet: 10250, proxyHealth: 10256 } as const;
/** Kubernetes' default range. */
const NODE_PORTS = { min: 30000, max: 32767 } as const;
const GATEWAY_PORTS = { https: 443, http: 80 } as const;

const tcp = (min: number, max = min): Traffic => ({ protocol: "tcp", ports: { min, max } });
const anyTcp: Traffic = { protocol: "tcp" };
const all: Traffic = { protocol: "all" };
const pathMtu: Traffic = { protocol: "path-mtu" };

type Row = readonly [name: string, from: Party, to: Party, traffic: Traffic, reason: string];

/**
 * All allowed connections of an OKE cluster with VCN-native pods. Sources: Oracle's "Network
 * Resource Configuration for Cluster Creation and Deployment", example 4, of 2025-02-12;
 * terraform-oci-oke at 25ef9a0, rules that both ends allow. Read 2026-11-23. No SSH or NFS.
 */
export function okeConnections({
  endpoint,
  loadBalancers,
  registryPorts,
}: Pick<OkeSettings, "endpoint" | "loadBalancers" | "registryPorts">): readonly OkeConnection[] {
  const rows: Row[] = [
    ["nodes-api", "nodes", "endpoint", tcp(PORT.kubernetesApi), "kubelet and kube-proxy use the Kubernetes API"],
    ["nodes-oke", "nodes", "endpoint", tcp(PORT.okeControlPlane), "Nodes join and report to OKE's control plane"],
    ["pods-api", "pods", "endpoint", tcp(PORT.kubernetesApi), "Controllers use the Kubernetes API"],
    ["pods-oke", "pods", "endpoint", tcp(PORT.okeControlPlane), "OKE's add-ons report to its control plane"],
    ["endpoint-self", "endpoint", "endpoint", tcp(PORT.kubernetesApi), "The control plane's parts talk to each other"],
    ["endpoint-kubelet", "endpoint", "nodes", tcp(PORT.kubelet), "Logs, exec and metrics of pods"],
    ["endpoint-oke", "endpoint", "nodes", tcp(PORT.okeControlPlane), "OKE's control plane looks after nodes"],
    ["endpoint-pods", "endpoint", "pods", all, "Admission webhooks, port forwarding, extension APIs"],
    ["nodes-nodes", "nodes", "nodes", all, "Pods with the host's network, and NCCL over Ethernet"],
    ["nodes-pods", "nodes", "pods", all, "Probes of the kubelet, and Services from the host's network"],
    ["pods-nodes", "pods", "nodes", all, "Pods with the host's network, and metrics of nodes"],
    ["pods-pods", "pods", "pods", all, "Pods talk to pods; NetworkPolicies say which"],
    ["endpoint-oracle", "endpoint", "oracleServices", tcp(443), "The control plane uses OKE and Vault"],
    ["nodes-oracle", "nodes", "oracleServices", anyTcp, "Nodes use OKE, registries and package mirrors of Oracle"],
    ["pods-oracle", "pods", "oracleServices", anyTcp, "Workload identity, Object Storage, volumes and load balancers"],
    ...registryPorts.map(
      (port): Row => [
        // The first keeps its original name, so that the rule is updated in place.
        port === 443 ? "nodes-internet" : `nodes-registry-${port}`,
        "nodes",
        "internet",
        tcp(port),
        "Images come from registries",
      ],
    ),
    ["pods-internet", "pods", "internet", anyTcp, "Models, certificates, servers of others; NetworkPolicies say who"],
    ["load-balancers-nodes", "loadBalancers", "nodes", tcp(NODE_PORTS.min, NODE_PORTS.max), NODE_PORT_REASON],
    ["load-balancers-health", "loadBalancers", "nodes", tcp(PORT.proxyHealth), "They ask kube-proxy whether it works"],
    ["endpoint-nodes-mtu", "endpoint", "nodes", pathMtu, "Path MTU discovery"],
    ["nodes-endpoint-mtu", "nodes", "endpoint", pathMtu, "Path MTU discovery"],
    ["internet-nodes-mtu", "internet", "nodes", pathMtu, "Path MTU discovery: large downloads hang without it"],
    ["nodes-internet-mtu", "nodes", "internet", pathMtu, "Path MTU discovery"],
    ["internet-pods-mtu", "internet", "pods", pathMtu, "Path MTU discovery: large downloads hang without it"],
    ["pods-internet-mtu", "pods", "internet", pathMtu, "Path MTU discovery"],
  ];
  if (endpoint.allowedCidrs.length > 0) {
    rows.push([
      "operators",
      "operators",
      "endpoint",
      tcp(PORT.kubernetesApi),
      "kubectl, Pulumi and CI of the operators",
    ]);
  }
  if (loadBalancers.clientCidrs.length > 0) {
    const { https, http } = GATEWAY_PORTS;
    rows.push(
      ["clients-https", "clients", "loadBalancers", tcp(https), "Clients of the gateway"],
      ["clients-http", "clients", "loadBalancers", tcp(http), "Redirects to HTTPS, and ACME challenges"],
      ["clients-mtu", "clients", "loadBalancers", pathMtu, "Path MTU discovery"],
    );
  }
  if (loadBalancers.clientCidrs.length > 0 && loadBalancers.preserveSource) {
    const { https, http } = GATEWAY_NODE_PORTS;
    rows.push(
      ["clients-nodes-https", "clients", "nodes", tcp(https), PRESERVED_REASON],
      ["clients-nodes-http", "clients", "nodes", tcp(http), PRESERVED_REASON],
    );
  }
  return rows.map(([name, from, to, traffic, reason]) => ({ name, from, to, traffic, reason }));
}

// The controller's health check uses the Service's healthCheckNodePort, within the node port range
// (oci-cloud-controller-manager 1100ac3, load_balancer_spec.go getHealthChecker).
const NODE_PORT_REASON = "Connections, and the health check of Services with externalTrafficPolicy Local";
// Nodes have no public address: traffic from client addresses comes through the load balancer.
const PRESERVED_REASON = "The gateway's clients: the load balancer keeps their address";
