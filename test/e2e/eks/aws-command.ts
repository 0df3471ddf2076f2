import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { accessOf } from "../../../rehearsal/cluster/kubeconfig";

/**
 * A folder for PATH with an `aws` that stands in for Amazon's command line: it knows how to make a token for a cluster that is in
 * the cloud, which the test's API server takes, and nothing else.
 */
export function awsCommandFolder({ folder, kubeconfig }: ControlPlane): string {
  const bin = join(folder, "aws-command");
  mkdirSync(bin, { recursive: true });
  const credential = JSON.stringify({
    apiVersion: "client.authentication.k8s.io/v1beta1",
    kind: "ExecCredential",
    status: { token: accessOf(readFileSync(kubeconfig, "utf8")).token },
  });
  const script = [
    "#!/bin/sh",
    'case "$*" in',
    '  "--region us-east-1 eks get-token --cluster-name "*" --output json") ;;',
    '  *) echo "aws: error: argument command: Invalid choice: $*" >&2; exit 252 ;;',
    "esac",
    `grep -qF "\\"id\\":\\"$6\\",\\"type\\":\\"aws:eks/cluster:Cluster\\"" '${join(folder, "cloud.json")}' || { echo "No cluster found for name: $6." >&2; exit 254; }`,
    `printf '%s' '${credential}'`,
    "",
  ].join("\n");
  writeFileSync(join(bin, "aws"), script, { mode: 0o755 });
  return bin;
}
