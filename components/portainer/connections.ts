import { type Connection, connect } from "../core/connections";
import { type ClusterNetworks, networksOf, toKubernetesApi } from "../core/network";
import { outsideEnds, serverAt } from "../core/outside";
import { PORTAINER_AGENT_PORT, portainerAgentPods } from "./names";
import type { PortainerServer } from "./portainer-agent";

/** Only its server and the Kubernetes API. */
export function portainerConnections(server: PortainerServer, networks: ClusterNetworks): Connection[] {
  return [
    toKubernetesApi("portainer-agent", portainerAgentPods, networks),
    server.mode === "direct"
      ? connect({
          name: "portainer-server-to-agent",
          reason: "The Portainer server manages the cluster by its agent; requests are signed",
          from: networksOf(server.networks),
          to: portainerAgentPods,
          ports: [PORTAINER_AGENT_PORT],
        })
      : connect({
          name: "portainer-agent-to-server",
          reason: "The agent asks the Portainer server for work, and opens a tunnel to it where there is some",
          from: portainerAgentPods,
          to: outsideEnds(server, networks),
          ports: [...new Set([serverAt(server).port, server.tunnelPort])],
        }),
  ];
}
