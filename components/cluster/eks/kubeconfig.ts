import * as pulumi from "@pulumi/pulumi";
import type { EksControlPlane } from "./control-plane";

/**
 * Secret kubeconfig without token: the `aws` command line creates short-lived ones with the user's
 * profile or role.
 */
export function eksKubeconfig(
  { clusterName, endpoint, certificateAuthority }: EksControlPlane,
  region: string,
): pulumi.Output<string> {
  return pulumi.secret(
    pulumi.all([clusterName, endpoint, certificateAuthority]).apply(([name, server, authority]) =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
        "current-context": name,
        users: [
          {
            name,
            user: {
              exec: {
                apiVersion: "client.authentication.k8s.io/v1beta1",
                command: "aws",
                args: ["--region", region, "eks", "get-token", "--cluster-name", name, "--output", "json"],
              },
            },
          },
        ],
      }),
    ),
  );
}
