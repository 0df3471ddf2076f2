import { RANCHER_NAMESPACE } from "../../names/namespaces";
import { type Connection, connect, podsIn } from "../core/connections";
import { type ClusterNetworks, fromKubernetesApi, toKubernetesApi } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { fleetAgentPods, RANCHER_WEBHOOK_PORT, rancherAgentPods, rancherWebhookPods } from "./names";

/** Egress to the server and the Kubernetes API; no ingress. */
export function rancherConnections(server: OutsideAddress, networks: ClusterNetworks): Connection[] {
  return [
    connect({
      name: "rancher-agents-to-server",
      reason: "The agents open a tunnel to the Rancher server, which manages the cluster through it",
      from: [rancherAgentPods, fleetAgentPods],
      to: outsideEnds(server, networks),
      ports: [serverAt(server).port],
    }),
    // Helm operations run there under other names.
    toKubernetesApi("rancher", [podsIn(RANCHER_NAMESPACE), fleetAgentPods], networks),
    fromKubernetesApi("rancher-webhook", rancherWebhookPods, [RANCHER_WEBHOOK_PORT]),
  ];
}
