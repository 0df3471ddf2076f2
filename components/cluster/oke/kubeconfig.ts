import { getClusterKubeConfigOutput } from "@pulumi/oci/containerengine/getClusterKubeConfig";
import * as pulumi from "@pulumi/pulumi";
import type { OkeEndpoint } from "./settings";

/** The kubeconfig of a cluster, secret: it starts the `oci` command line, which makes short-lived tokens. */
export function okeKubeconfig(
  clusterId: pulumi.Output<string>,
  endpoint: OkeEndpoint,
  opts: pulumi.InvokeOutputOptions,
): pulumi.Output<string> {
  const found = getClusterKubeConfigOutput(
    { clusterId, endpoint: endpoint.public ? "PUBLIC_ENDPOINT" : "PRIVATE_ENDPOINT", tokenVersion: "2.0.0" },
    opts,
  );
  return pulumi.secret(found.content);
}
