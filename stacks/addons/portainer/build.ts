import { PortainerAgent } from "../../../components/portainer/portainer-agent";
import type { Built, Foundation, Given } from "../contract";
import type { PortainerConfig, PortainerSecret } from "./config";
import { portainerServer } from "./server";

export function build({
  settings,
  secrets: { portainerAgentSecret, portainerEdgeKey },
  name,
  options,
}: Given<Foundation, PortainerConfig, PortainerSecret>): Built<PortainerAgent> {
  const component = new PortainerAgent(
    name,
    {
      server: portainerServer(settings),
      ...(portainerAgentSecret && { agentSecret: portainerAgentSecret }),
      ...(settings.mode === "edge" && portainerEdgeKey && { edgeKey: portainerEdgeKey }),
    },
    options(),
  );
  const { nodePort, agentSecret } = component;
  return {
    component,
    stackOutputs: {
      portainer: {
        mode: settings.mode,
        ...(nodePort !== undefined && { nodePort }),
        agentSecret,
      },
    },
  };
}
