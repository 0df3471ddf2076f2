import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { parseDocument } from "yaml";
import { z } from "zod";
import { ofMade } from "../../core/known";
import { hostScript } from "./host-script";
import type { K3sSettings } from "./settings";

const PORT = 6443;

const answer = z.object({ clusterIdentifier: z.string().min(1), kubeconfig: z.base64() });

export interface K3sAccess {
  /** Secret: contains an administrator's key. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Unchanged until k3s is reinstalled. */
  readonly clusterIdentifier: pulumi.Output<string>;
}

/** Kubeconfig of k3s. Its server is the machine's address as seen from here. */
export function k3sAccess(
  name: string,
  { host }: Pick<K3sSettings, "host">,
  installed: remote.Command,
  opts: pulumi.CustomResourceOptions,
): K3sAccess {
  const command = hostScript(
    name,
    {
      host,
      script: "kubeconfig",
      verb: "read",
      // Output of the installation: read again after k3s or its certificates were reinstalled.
      values: { INSTALLED: ofMade(installed, installed.stdout) },
      secretOutput: true,
    },
    pulumi.mergeOptions(opts, { dependsOn: [installed] }),
  );
  const read = pulumi.secret(ofMade(command, command.stdout)).apply((line) => answer.parse(JSON.parse(line)));
  return {
    kubeconfig: read.apply(({ kubeconfig }) =>
      withServer(Buffer.from(kubeconfig, "base64").toString("utf8"), host.address),
    ),
    clusterIdentifier: pulumi.unsecret(read.apply(({ clusterIdentifier }) => clusterIdentifier)),
  };
}

/** k3s writes the kubeconfig for the machine itself: 127.0.0.1. */
export function withServer(kubeconfig: string, address: string): string {
  const document = parseDocument(kubeconfig);
  const authority = address.includes(":") ? `[${address}]` : address;
  document.setIn(["clusters", 0, "cluster", "server"], `https://${authority}:${PORT}`);
  return document.toString();
}
