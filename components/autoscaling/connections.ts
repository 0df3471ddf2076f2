import { POD_IDENTITY_AGENT } from "../../names/metadata-services";
import { type Connection, connect, type PodSelection } from "../core/connections";
import { type ClusterNetworks, internet, networksOf, toKubernetesApi } from "../core/network";
import { karpenterPods } from "./karpenter-values";

/** Karpenter's connections. It has no webhook, so it has no clients. */
export function karpenterConnections(networks: ClusterNetworks): Connection[] {
  return awsControllerConnections("karpenter", karpenterPods, networks);
}

/**
 * Connections of controllers with AWS permissions: Kubernetes API, AWS APIs and the credentials
 * agent.
 */
export function awsControllerConnections(client: string, from: PodSelection, networks: ClusterNetworks): Connection[] {
  const { privateCidrs } = networks;
  return [
    toKubernetesApi(client, from, networks),
    connect({
      name: `${client}-to-aws`,
      reason: "It uses Amazon's APIs, from the internet or from addresses in the cluster's network",
      from,
      to: [...internet(networks), ...(privateCidrs.length > 0 ? networksOf(privateCidrs) : [])],
      ports: [443],
    }),
    connect({
      name: `${client}-to-pod-identity`,
      reason: "It has its rights from EKS Pod Identity, whose agent gives each pod the credentials of its own account",
      from,
      to: { cidr: POD_IDENTITY_AGENT.cidr },
      ports: [POD_IDENTITY_AGENT.port],
    }),
  ];
}
