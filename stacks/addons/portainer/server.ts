import type { PortainerServer } from "../../../components/portainer/portainer-agent";
import type { PortainerConfig } from "./config";

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
