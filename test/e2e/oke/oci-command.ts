import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { accessOf } from "../../../rehearsal/cluster/kubeconfig";

/**
 * A folder for PATH with an `oci` that stands in for Oracle's command line: it knows how to make a token for a cluster that is in
 * the cloud, which the test's API server takes, and nothing else.
 *
 */
export function ociCommandFolder({ folder, kubeconfig }: ControlPlane): string {
  const bin = join(folder, "oci-command");
  mkdirSync(bin, { recursive: true });
  const credential = JSON.stringify({
    apiVersion: "client.authentication.k8s.io/v1beta1",
    kind: "ExecCredential",
    status: { token: accessOf(readFileSync(kubeconfig, "utf8")).token },
  });
  const script = [
    "#!/bin/sh",
    'case "$1 $2 $3 $4" in',
    '  "ce cluster generate-token --cluster-id") ;;',
    '  *) echo "Error: No such command: oci $*" >&2; exit 2 ;;',
    "esac",
    `grep -qF "\\"id\\":\\"$5\\"" '${join(folder, "cloud.json")}' || { echo "404 NotAuthorizedOrNotFound: $5" >&2; exit 1; }`,
    `printf '%s' '${credential}'`,
    "",
  ].join("\n");
  writeFileSync(join(bin, "oci"), script, { mode: 0o755 });
  return bin;
}
