import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { JoinedCluster } from "./cloud-init/join";

interface ControlPlane {
  readonly endpoints: pulumi.Output<readonly { readonly privateEndpoint: string }[]>;
}

/**
 * Cluster data for joining machines: private API server address and CA certificate, which is not
 * secret.
 */
export function joinedCluster(
  { endpoints }: ControlPlane,
  kubeconfig: pulumi.Output<string>,
): pulumi.Output<JoinedCluster> {
  return pulumi.all([endpoints, pulumi.unsecret(kubeconfig)]).apply(([[endpoint], text]) => ({
    apiServer: hostOf(endpoint?.privateEndpoint ?? ""),
    authority: authorityOf(text),
  }));
}

/** `10.0.0.2:6443` without its port. */
function hostOf(endpoint: string): string {
  return endpoint.replace(/:\d+$/, "");
}

/** PEM. */
function authorityOf(kubeconfig: string): string {
  const { clusters = [] } = parse(kubeconfig) as {
    readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, string>> }[];
  };
  return Buffer.from(clusters[0]?.cluster?.["certificate-authority-data"] ?? "", "base64").toString("utf8");
}
