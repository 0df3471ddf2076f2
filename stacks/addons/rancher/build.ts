import { RancherAgent } from "../../../components/rancher/rancher-agent";
import { registrationToken } from "../../../names/rancher";
import type { Built, Foundation, Given } from "../contract";
import type { RancherConfig, RancherSecret } from "./config";

export function build({
  settings: { url, caCerts },
  secrets: { rancherToken },
  name,
  options,
}: Given<Foundation, RancherConfig, RancherSecret>): Built<RancherAgent> {
  const component = new RancherAgent(
    name,
    {
      url,
      ...(caCerts !== undefined && { caCerts }),
      // The plan refuses a missing one.
      token: rancherToken?.apply(registrationToken) ?? "",
    },
    options(),
  );
  return { component, stackOutputs: { rancher: { server: url } } };
}
