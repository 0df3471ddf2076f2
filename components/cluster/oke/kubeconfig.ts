import { getClusterKubeConfigOutput } from "@pulumi/oci/containerengine/getClusterKubeConfig";
import * as pulumi from "@pulumi/pulumi";
import type { OkeEndpoint } from "./settings";

/**
 * The kubeconfig of a cluster, secret. It holds no token: it starts the `oci` command line
 * (`oci ce cluster generate-token --cluster-id … --region …`), which makes short-lived ones for whoever runs it, by their
 * `OCI_CLI_PROFILE`, `OCI_CLI_AUTH` or default profile. So `oci` must be on the PATH of whoever deploys.
 *
 * The endpoint must be the one that the cluster has: asked for a public one, a private cluster answers with an error.
 *
 * In a preview of a cluster that does not exist yet it is unknown: the call waits for the cluster's OCID. Nothing calls
 * the API server then: Pulumi's engine configures no provider that has unknown inputs, and knows no outputs of its objects
 * (pkg/resource/plugin/provider_plugin.go of Pulumi 3.259, Configure, Check and Create; `named` in components/core). Of a
 * cluster that exists, the Kubernetes provider connects in a preview too; where it cannot, it compares with the state
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
