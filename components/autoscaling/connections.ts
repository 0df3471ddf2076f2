import { POD_IDENTITY_AGENT } from "../../names/metadata-services";
import { type Connection, connect, type PodSelection } from "../core/connections";
import { type ClusterNetworks, internet, networksOf, toKubernetesApi } from "../core/network";
import { karpenterPods } from "./karpenter-values";

/** What Karpenter connects to. Nobody calls it: it has no webhook. */
export function karpenterConnections(networks: ClusterNetworks): Connection[] {
  return awsControllerConnections("karpenter", karpenterPods, networks);
}

/**
 * What a controller with rights in AWS connects to: the Kubernetes API, Amazon's APIs, at their addresses in the cluster's
 * network where it has some, and the agent that gives it its credentials.
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
