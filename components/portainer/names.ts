import { selectorLabels } from "../../names/labels";
import { PORTAINER_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Name of the agent's StatefulSet, Service and account. */
export const PORTAINER_AGENT = "portainer-agent";

/** TLS, with a certificate per start; requests are signed. */
export const PORTAINER_AGENT_PORT = 9001;

/** Service for an external server (names/entrances.ts). */
export const PORTAINER_NODES = "portainer-agent-nodes";

/** NodePort of Portainer's manifest (portainer-agent-k8s-nodeport.yaml). */
export const PORTAINER_NODE_PORT = 30_778;

export const portainerAgentPods: PodSelection = {
  namespace: PORTAINER_NAMESPACE,
  podLabels: selectorLabels(PORTAINER_AGENT, PORTAINER_AGENT),
  serviceAccount: PORTAINER_AGENT,
};
