import type { PortainerServer } from "../../../components/portainer/portainer-agent";
import type { PortainerConfig } from "./config";

/** The server as the component and its connections take it. */
export function portainerServer(settings: PortainerConfig): PortainerServer {
  if (settings.mode === "direct") {
    return { mode: "direct", networks: settings.networks };
  }
  const { id, url, networks, tunnelPort, caCerts } = settings;
  return {
    mode: "edge",
    id,
    url,
    tunnelPort,
    ...(networks && { networks }),
    ...(caCerts !== undefined && { caCerts }),
  };
}
