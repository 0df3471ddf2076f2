import { getClusterKubeConfigOutput } from "@pulumi/oci/containerengine/getClusterKubeConfig";
import * as pulumi from "@pulumi/pulumi";
import type { OkeEndpoint } from "./settings";

/**
 * Secret kubeconfig of a cluster, without token: the `oci` command line (`oci ce cluster
 * generate-token --cluster-id … --region …`) creates short-lived ones. It uses the caller's
 * `OCI_CLI_PROFILE`, `OCI_CLI_AUTH` or default profile, and must be on the deployer's PATH.
 *
 * A private cluster rejects requests for a public endpoint.
 *
 * Unknown in the preview of a new cluster: Pulumi then configures no provider
 * (pkg/resource/plugin/provider_plugin.go of Pulumi 3.259, Configure, Check and Create; `named` in
 * components/core). For an existing cluster previews connect too, or compare with the state
 * (pulumi-kubernetes 9497796, 2026-07-01, provider.go, `clusterUnreachable`).
 */
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
